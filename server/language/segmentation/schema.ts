import { z } from 'zod';

/** Maximum characters of an SRX file. Its bytes are limited when it is read. */
const maxCharacters = 1_000_000;

const name = z.string().trim().min(1).max(200).describe('The name of the file, 1 to 200 characters.');

const version = z
  .string()
  .max(64)
  .nullish()
  .describe('The version that the caller read; null without a file. If it has changed, the response is 409.');

export const deleteInput = z.strictObject({ version });

export const saveInput = z.strictObject({
  version,
  name,
  srx: z
    .string()
    .min(1)
    .max(maxCharacters)
    .describe('The content of an SRX 2.0 file, at most 1,000,000 bytes.'),
});

export const segmentation = saveInput.extend({
  version: z.string().describe('Identifies the name and content of the file.'),
  updated_at: z.string().describe('When the file was saved, ISO 8601 in UTC.'),
  updated_by: z
    .string()
    .nullable()
    .describe('The email address of the member who saved the file, or the ID; null for an API key.'),
});

export type SegmentationInput = z.infer<typeof saveInput>;
export type Segmentation = z.infer<typeof segmentation>;
