import type { QualityIssue } from '#server/engines/engine.ts';
import type { TextPair } from './text-pair.ts';
export function refusalIssue(_: TextPair): QualityIssue | undefined {
  return undefined;
}
