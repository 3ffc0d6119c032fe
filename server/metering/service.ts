export { type JobUsage, usageRecords, usageRows } from './usage.ts';
export { countCharacters, weighCharacters } from './weight.ts';
