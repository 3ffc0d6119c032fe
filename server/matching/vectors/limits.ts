/** Components that are kept of a vector, each in one byte. */
export const dimensions = 256;

/** Bytes of a code: a bit for each component. */
export const codeBytes = dimensions / 8;
