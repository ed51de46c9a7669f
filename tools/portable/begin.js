// The program meets the user's system: variables, paths of Windows, the width of a terminal.

/** Windows takes both slashes in a path, and the program one. Other words stay as they are. */
function withSlashes(word) {
  const value = word.startsWith("-") ? word.slice(word.indexOf("=") + 1) : word;
  const isPath = [value, require("path").dirname(value)].some((path) => require("fs").existsSync(path));
  return isPath ? word.replaceAll("\\", "/") : word;
}

/** Emscripten takes the standard streams for terminals, whatever they are, and asks them for their size. */
function terminalOf(descriptor) {
  const stream = descriptor === 2 ? process.stderr : process.stdout;
  return { ops: { ioctl_tiocgwinsz: () => [stream.rows || 24, stream.columns || 80] } };
}

const isWindows = process.platform === "win32";
if (isWindows) process.argv = process.argv.map((word) => word.includes("\\") ? withSlashes(word) : word);

// Emscripten gives a program a few variables of its own in place of the user's.
Module["preRun"] = () => Object.assign(ENV, process.env, {
  VRAMLAB_PROGRAM_FOLDER: isWindows ? __dirname.replaceAll("\\", "/") : __dirname,
});

Module["onRuntimeInitialized"] = () => {
  for (const descriptor of [0, 1, 2])
    FS.getStream(descriptor).tty = require("tty").isatty(descriptor) ? terminalOf(descriptor) : false;
};

// Node.js would print the line in which the error was, which is the whole program.
process.on("uncaughtException", (error) => {
  require("fs").writeSync(2, `vramlab: a mistake of the program itself: ${error && error.stack || error}\n`);
  process.exit(134);
});
