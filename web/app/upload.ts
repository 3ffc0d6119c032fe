import type { UploadProgress } from '#sdk/options.ts';

/** Told how much of a request's body has been sent: 0 to 1. */
export type UploadShare = (sent: number) => void;

/** The SDK's progress in bytes as a share. */
export function shareOf(tell: UploadShare) {
  return ({ loaded, total }: UploadProgress) => tell(total === 0 ? 1 : loaded / total);
}
