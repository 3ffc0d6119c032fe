import { cpus, totalmem } from 'node:os';
import { benchAbuse } from './abuse.ts';
import { benchAdmission } from './admission.ts';
import { benchAlignment } from './alignment.ts';
import { benchBackup } from './backup.ts';
import { benchBatch } from './batch.ts';
import { benchDay } from './day.ts';
import { benchTextFiles } from './documents/text-files.ts';
import { benchDocuments } from './documents.ts';
import { benchDownloads } from './downloads.ts';
import { benchGate } from './gate.ts';
import { benchGlossary } from './glossary.ts';
import { benchGlossaryLoad } from './glossary-load.ts';
import { benchGlossarySlices } from './glossary-slices.ts';
import { benchGrowth } from './growth.ts';
import { benchLiveDocuments } from './live-documents.ts';
import { benchLiveEngine } from './live-engine.ts';
import { benchMemoryImport } from './memory-import.ts';
import { benchExactLookup, benchFuzzyLookup } from './memory-lookup.ts';
import { benchMemorySentences, benchParagraphLookup } from './memory-sentences.ts';
import { benchModelCost } from './model-cost.ts';
import { benchSegments } from './segments.ts';
import { benchSignIns } from './sign-ins.ts';
import { benchTextJobs } from './text-jobs.ts';
import { benchUsageExport } from './usage-export.ts';
import { benchWeb } from './web.ts';

const print = (line: string) => console.log(line);

const benches = {
  text: ['Text jobs on the stub engine, 32 connections over 100 tenants', benchTextJobs],
  admission: ['What admission adds to the latency of a text job, stub engine', benchAdmission],
  backup: ['An incremental backup with 1% changed objects, beside a full one', benchBackup],
  batch: ['A batch beside single requests, one connection, stub engine', benchBatch],
  'sign-ins': ['100 addresses sign in at once, beside a list on one connection', benchSignIns],
  'usage-export': ['A month of a million usage records as csv, beside COPY', benchUsageExport],
  'memory-import': [
    'A memory of 50,000 units imported, beside translate-toolkit and COPY',
    benchMemoryImport,
  ],
  'memory-exact': ['The exact tier with 100 and with 50,000 segments', benchExactLookup],
  'memory-fuzzy': ['The fuzzy tier over 50,000 sentences in five languages', benchFuzzyLookup],
  'memory-sentences': ['A manual with a memory of its sentences', benchMemorySentences],
  alignment: ['Manuals aligned with their translations, and with other pages', benchAlignment],
  'memory-paragraph': ['A paragraph of eight sentences in a memory of 500,000', benchParagraphLookup],
  'glossary-load': [
    'A glossary of 2000 terms loaded, compiled and found in 50,000 characters',
    benchGlossaryLoad,
  ],
  glossary: ['Glossary terms in a text, and in its translation', benchGlossary],
  gate: [
    'What the quality gate is worth: errors in translations by people, and a simulated judge',
    benchGate,
  ],
  day: ['What jobs cost at 12 in a second: CPU, database, store, connections', benchDay],
  growth: ['Deployments of several sizes: each request, periodic work, disk', benchGrowth],
  'glossary-slices': [
    'The event loop under the worst legal glossaries, in all languages',
    benchGlossarySlices,
  ],
  abuse: ['Attacks: the latency of /healthz and the memory of the API under each', benchAbuse],
  documents: [
    'Office files translated in place, beside LibreOffice; whole jobs; refused files',
    benchDocuments,
  ],
  'text-files': ['Text files of 10,000 texts, beside po4a and translate-toolkit', benchTextFiles],
  segments: ["What a reviewer's screen asks of a document of 500 segments, and of 50,000", benchSegments],
  downloads: ['A document of 30 MB downloaded, beside a bare HTTP server of the file', benchDownloads],
  web: ['The web application: files of a first load, and the time until a screen can be used', benchWeb],
  live: ['The live engine against a local endpoint of 500 ms a call', benchLiveEngine],
  'model-cost': ['Prompts for a document: bytes and tokens for its source, and requests', benchModelCost],
  'live-documents': [
    'A document with a model of 1.5 s a call, and a text of another workspace',
    benchLiveDocuments,
  ],
} as const;

/**
 * `npm run bench -- batch live` runs these two benchmarks. Without names, all benchmarks run. If a benchmark fails, the
 * next ones still run.
 */
const asked = process.argv.slice(2);
const unknown = asked.find((name) => !Object.hasOwn(benches, name));
if (unknown) {
  console.error(`there is no benchmark ${unknown}, only ${Object.keys(benches).join(', ')}`);
  process.exit(1);
}

print(
  `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
);
for (const [name, [title, bench]] of Object.entries(benches)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  print(`\n${title}`);
  try {
    await bench(print);
  } catch (error) {
    process.exitCode = 1;
    print(`FAILED: ${name}: ${error instanceof Error ? error.stack : error}`);
  }
}
