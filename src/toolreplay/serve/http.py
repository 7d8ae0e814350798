"""The model's API as an ASGI application over one function from request to response."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toolreplay.wire.http import HttpRequest, HttpResponse

HOST: Final = "127.0.0.1"
Answer = Callable[[HttpRequest], HttpResponse]


def application(answer: Answer) -> Starlette:
    """The application: every POST, whatever its path, is a question to `answer`."""

    async def handle(request: Request) -> Response:
        question = HttpRequest(request.method, str(request.url), dict(request.headers), await request.body())
        response = await run_in_threadpool(answer, question)
        return Response(response.body, response.status, dict(response.headers))

    return Starlette(routes=[Route("/{path:path}", handle, methods=["POST"])])


@contextmanager
def serving(answer: Answer) -> Iterator[str]:
    """Serve in a thread for the length of the block, on a free port of 127.0.0.1; gives the base URL."""
    listener = socket.create_server((HOST, 0))
    config = uvicorn.Config(application(answer), log_level="error", lifespan="off", server_header=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield f"http://{HOST}:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
