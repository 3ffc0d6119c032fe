/**
 * A text to translate, with all fields of a request that affect its translation. The core does not depend on jobs or
 * documents.
 */
export interface TextRequest {
  source_text: string;
  /** Language code, see `languages.ts`. */
  source_lang: string;
  target_lang: string;
  domain: string | null;
  tone: string | null;
  gender: string | null;
  text_type: 'Plain' | 'Html' | null;
  metadata: Record<string, unknown>;
  /** A note for the model about the text, such as the screen on which it appears. */
  context?: string | null | undefined;
  /** The maximum length of the translation, and its unit: characters by default. */
  max_length?: number | null | undefined;
  length_unit?: string | null | undefined;
}
