# The types of the module that _PublicModules in ump/__init__.py finds under this name

from ump.model.tiles import *
