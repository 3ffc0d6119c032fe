import { loadModulesFast } from '../../server/platform/module-loading.ts';

// Each process that runs test files loads this module before them.
loadModulesFast();
