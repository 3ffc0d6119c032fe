/** A text to translate: the fields of a request that affect its translation. The core is independent of jobs and documents. */
export interface TextRequest {
  source_text: string;
  /** Language codes of `languages.ts`. */
  source_lang: string;
  target_lang: string;
  domain: string | null;
  tone: string | null;
  gender: string | null;
  text_type: 'Plain' | 'Html' | null;
  metadata: Record<string, unknown>;
}
