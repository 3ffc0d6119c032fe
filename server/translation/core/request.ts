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
}
