import type { UploadProgress } from '#sdk/options.ts';

/** Receives the part of a request's body that has been sent, from 0 to 1. */
export type UploadShare = (sent: number) => void;

/** Converts the SDK's progress in bytes to a part from 0 to 1. */
export function shareOf(tell: UploadShare) {
  return ({ loaded, total }: UploadProgress) => tell(total === 0 ? 1 : loaded / total);
}
