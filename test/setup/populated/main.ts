/**
 * Copies a deployment as it is after a year to a new data folder, and builds it first if necessary:
 *
 *   node test/setup/populated/main.ts DIR
 *
 * `DATA_DIR=DIR npm start` then starts the service with it. All members have the password `a long enough passphrase`.
 */
import { access } from 'node:fs/promises';
import { copyPopulated, populatedFolder } from './cache.ts';

const [dataDir] = process.argv.slice(2);
if (dataDir === undefined) throw new Error('usage: node test/setup/populated/main.ts DIR');
const isTaken = await access(dataDir).then(
  () => true,
  () => false,
);
if (isTaken) throw new Error(`${dataDir} exists already`);
await populatedFolder(console.log);
await copyPopulated(dataDir);
console.log(`A populated deployment is in ${dataDir}`);
