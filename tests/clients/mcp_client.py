"""`vramlab mcp` with the official client of the Model Context Protocol (PyPI: mcp), by hand:

    python3 -m venv VENV && VENV/bin/pip install mcp
    VENV/bin/python tests/clients/mcp_client.py [--vramlab build/vramlab]

The client validates each answer by the schema of its tool. Leaves with 1 if something is not as it should be."""

import argparse
import asyncio
import pathlib
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "traces/samples"
TOOLS = {"explain", "advise", "top", "diff", "dry_run", "fit"}
CALLS = [
    ("explain", {"files": [str(SAMPLES / "gpt_training.pickle.gz")]}),
    ("advise", {"files": [str(SAMPLES / "training.vtrace")], "device_memory": "8GiB"}),
    ("top", {"files": [str(SAMPLES / "leak.vtrace")], "limit": 5}),
    ("diff", {"base": str(SAMPLES / "training.vtrace"), "new": str(SAMPLES / "leak.vtrace")}),
    ("dry_run", {"program": [sys.executable, "-c", "print('hello')"], "gpu": "h100-80gb"}),
]


async def call(session, name, arguments):
    """The answer's own sentences about what is wrong; empty if nothing is."""
    told = []

    async def progress(done, total, message):
        told.append(message)

    answer = await session.call_tool(name, arguments, progress_callback=progress)
    shown = answer.content[0].text
    print(f"{name}: {len(shown)} letters, {len(told)} of progress, {sorted(answer.structured_content or {})}")
    return [f"{name}: {shown}"] if answer.is_error else []


async def ask_everything(vramlab):
    wrong = []
    async with stdio_client(StdioServerParameters(command=vramlab, args=["mcp"])) as (read, write):
        async with ClientSession(read, write) as session:
            server = (await session.initialize()).server_info
            print(server.name, server.version)
            tools = {tool.name for tool in (await session.list_tools()).tools}
            wrong += [f"tools {tools}"] if tools != TOOLS else []
            for name, arguments in CALLS:
                wrong += await call(session, name, arguments)
            refused = await session.call_tool("top", {"files": ["missing.pickle"]})
            print("a missing file:", refused.content[0].text)
            wrong += [] if refused.is_error else ["a missing file is no error"]
    return wrong


def main():
    parser = argparse.ArgumentParser(description="`vramlab mcp` with the official client.")
    parser.add_argument("--vramlab", default=str(ROOT / "build/vramlab"))
    wrong = asyncio.run(ask_everything(parser.parse_args().vramlab))
    for sentence in wrong:
        print("WRONG:", sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
