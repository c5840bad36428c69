"""mjai: JSON events and actions, in three dialects over one codec.

``events`` writes the events of a game; ``actions`` writes the offers to a seat and reads its replies. They depend only
on events and the open question. The sessions build on them: ``lockstep_session`` (gimite's servers and clients over
TCP, which reply to every event), ``piped_session`` (bots behind a pipe, which receive the events since they could last
act) and ``request_session`` (WebSocket clients, which the server asks).
"""
