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
        asked = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            self.answer(asked)
            status = 200
        except (MemoryError, RuntimeError):
            status = 500
        self.send_response(status)
        self.end_headers()
        self.wfile.write(b"{}")

    def answer(self, asked):
        if self.path == "/v1/completions":
            if os.environ.get("FAKE_ENGINE_FAILS") == "requests":
                raise RuntimeError("too long")
            asked = json.loads(asked)
            if asked["ignore_eos"]:
                engine.complete(asked["prompt"], asked["max_tokens"])
        elif self.path.startswith("/sleep?level=") and "--enable-sleep-mode" in sys.argv:
            engine.worker.sleep(int(self.path[-1]))
        elif self.path == "/wake_up":
            engine.worker.wake_up()
        else:
            raise RuntimeError(self.path)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    engine = EngineCore()
    if os.environ.get("FAKE_ENGINE_FAILS") == "server":
        sys.exit(7)
    signal.signal(signal.SIGTERM, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
    port = int(sys.argv[sys.argv.index("--port") + 1])
    http.server.HTTPServer(("127.0.0.1", port), Answers).serve_forever()
