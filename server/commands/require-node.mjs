// Ends the process with a message if Node.js is too old. This file is JavaScript, so that an older Node.js can run it
// before any TypeScript is loaded.

/** The earliest major version of Node.js on which the service runs. `npm ci` installs a suitable version. */
const oldest = 24;

if (Number.parseInt(process.versions.node, 10) < oldest) {
  process.stderr.write(
    `lingualoop: Node.js ${oldest} or later is needed, and this is ${process.versions.node}. Start it by npm (npm start, npm run admin, ...), which uses the Node.js that "npm ci" installs here.\n`,
  );
  process.exit(1);
}
