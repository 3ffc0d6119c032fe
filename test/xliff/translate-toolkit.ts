import { spawnSync } from 'node:child_process';

/** Debian's package works with Debian's Python, which may not be the first one in PATH. */
const pythons = ['python3', '/usr/bin/python3'];

/** A Python that has the Translate Toolkit and lxml; undefined if no Python has both. */
export const toolkit = pythons.find(
  (python) => spawnSync(python, ['-c', 'import translate.storage.tbx, lxml.etree']).status === 0,
);

if (!toolkit)
  console.log('The Translate Toolkit is not installed (apt: python3-translate): what it judges is skipped.');
