"""Advertises ``twistd ump-server``."""

from twisted.application.service import ServiceMaker

umpServer = ServiceMaker("UMP server", "ump.tap", "Serve riichi mahjong over UMP.", "ump-server")
