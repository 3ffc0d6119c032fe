import { loadModulesFast } from '../../server/platform/module-loading.ts';

// Loaded by each process that runs test files, before any of them.
loadModulesFast();
