import { cpus, totalmem } from 'node:os';
import { benchTextJobs } from './text-jobs.ts';

const print = (line: string) => console.log(line);
print(
  `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
);
print('\nText jobs on the stub engine, 32 connections over 100 tenants');
await benchTextJobs(print);
