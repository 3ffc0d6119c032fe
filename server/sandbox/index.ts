/** Runs pure functions over files that nobody vouches for in child processes with limits. */
export { SandboxError, type SandboxReason } from './error.ts';
export { flattenUpload } from './flatten-upload.ts';
export { openSandbox, type RunLimits, type Sandbox, type SandboxOptions } from './sandbox.ts';
export type { tasks } from './tasks.ts';
