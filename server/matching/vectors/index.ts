export { codeBytes, dimensions } from './limits.ts';
export { cosine, nearestCodes, type Place } from './nearest.ts';
export { project } from './project.ts';
export { type Quantised, quantise } from './quantise.ts';
