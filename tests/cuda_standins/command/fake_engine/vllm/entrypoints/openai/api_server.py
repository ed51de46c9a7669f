"""Answers its health check and requests once the engine is there: `--port 8000`. As an engine's processes may be, it is
killed when it is asked to end."""

import http.server
import json
import os
import signal
import sys

from vllm.v1.engine.core import EngineCore


class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/health" else 404)
        self.end_headers()

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        is_known = self.path == "/v1/completions" and asked["ignore_eos"]
        try:
            engine.complete(asked["prompt"], asked["max_tokens"])
        except MemoryError:
            is_known = False
        self.send_response(200 if is_known else 500)
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    engine = EngineCore()
    if os.environ.get("FAKE_ENGINE_FAILS") == "server":
        sys.exit(7)
    signal.signal(signal.SIGTERM, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
    port = int(sys.argv[sys.argv.index("--port") + 1])
    http.server.HTTPServer(("127.0.0.1", port), Answers).serve_forever()
