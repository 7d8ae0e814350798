"""Being the model for a client over HTTP, on 127.0.0.1 only. What is answered comes from a function, not from here."""
