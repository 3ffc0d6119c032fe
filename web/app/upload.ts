import type { UploadProgress } from '#sdk/options.ts';

/** Receives the sent share of a request's body: 0 to 1. */
export type UploadShare = (sent: number) => void;

/** The SDK's progress in bytes as a share. */
export function shareOf(tell: UploadShare) {
  return ({ loaded, total }: UploadProgress) => tell(total === 0 ? 1 : loaded / total);
}
