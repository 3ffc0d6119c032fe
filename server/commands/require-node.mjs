// JavaScript that every Node.js with modules can read: it says which one is needed before any TypeScript is loaded.

/** The oldest major version that the service runs on. `npm ci` installs one. */
const oldest = 24;

if (Number.parseInt(process.versions.node, 10) < oldest) {
  process.stderr.write(
    `lingualoop: Node.js ${oldest} or later is needed, and this is ${process.versions.node}. Start it by npm (npm start, npm run admin, ...), which uses the Node.js that "npm ci" installs here.\n`,
  );
  process.exit(1);
}
