"""Answers its health check once the engine is there: `--port 8000`."""

import http.server
import os
import sys

from vllm.v1.engine.core import EngineCore


class Health(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/health" else 404)
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    engine = EngineCore()
    if os.environ.get("FAKE_ENGINE_FAILS") == "server":
        sys.exit(7)
    port = int(sys.argv[sys.argv.index("--port") + 1])
    http.server.HTTPServer(("127.0.0.1", port), Health).serve_forever()
