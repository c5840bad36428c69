"""The server over HTTP: WebSockets, and the polling of Socket.IO."""
