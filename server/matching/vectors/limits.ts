/** Components that are kept of a vector, each in one byte. */
export const dimensions = 256;

/** Bytes of a code: a bit for each component. */
export const codeBytes = dimensions / 8;

/** Components of the longest vector that is taken from a model; the largest ones of today have 4096. */
export const longestVector = 16_384;
