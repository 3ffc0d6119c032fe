/** Uploaded files to the text that is in them (B 4.1 "Flattened text uploads"). */
export { FlattenError, type FlattenReason } from './error.ts';
export { flatten } from './flatten.ts';
export { documentKind, type FlattenKind, type LayoutKind, layoutKind } from './kind.ts';
