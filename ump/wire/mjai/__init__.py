"""mjai: JSON events and actions in three dialects, one codec at heart.

``events`` tells what happened, ``actions`` offers and reads what a seat does; both know nothing but events and the
open question. Over them stand the sessions: ``lockstep`` (gimite's servers and clients, TCP: a reply to every event),
``batch`` and ``lines`` (bots that read from a pipe: what happened since they could last act), ``request`` (WebSocket
clients that are asked).
"""
