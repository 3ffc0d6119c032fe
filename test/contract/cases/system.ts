import type { Cases } from './case.ts';

export const systemCases: Cases = {
  'system.health': [{ name: 'is alive', status: 200 }],
};
