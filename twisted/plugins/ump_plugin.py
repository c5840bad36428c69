"""Advertises ``twistd ump-server``, and ``--reactor ump``, which serves players first."""

from twisted.application.reactors import Reactor
from twisted.application.service import ServiceMaker

umpServer = ServiceMaker("UMP server", "ump.server.tap", "Serve riichi mahjong over UMP.", "ump-server")
umpReactor = Reactor("ump", "ump.net.reactor", "epoll(4) with players first.")
