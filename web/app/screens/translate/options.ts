import type { FileTranslationRequest, TranslationRequest } from '#sdk/types.ts';

/** The options of a translation, in addition to its languages. An empty text means not set. */
export interface Options {
  tone: string;
  gender: string;
  domain: string;
  textType: 'Plain' | 'Html';
  minQuality: string;
  qualityRounds: string;
  requireReview: boolean;
  /** Names of candidate models, separated by commas. */
  candidateModels: string;
  debateRounds: string;
}

export type OptionName = keyof Options;

export const noOptions: Options = {
  tone: '',
  gender: '',
  domain: '',
  textType: 'Plain',
  minQuality: '',
  qualityRounds: '',
  requireReview: false,
  candidateModels: '',
  debateRounds: '',
};

/** The options of each way to translate. */
export const optionsOf = {
  text: Object.keys(noOptions) as OptionName[],
  batch: ['tone', 'gender', 'textType'],
  textFile: [
    'tone',
    'gender',
    'domain',
    'minQuality',
    'qualityRounds',
    'requireReview',
    'candidateModels',
    'debateRounds',
  ],
  document: ['tone', 'gender', 'domain'],
} satisfies Record<string, OptionName[]>;

/** The options as fields of a text's request. */
export function textFields(
  options: Options,
): Pick<TranslationRequest, 'tone' | 'gender' | 'domain' | 'text_type' | 'metadata'> {
  const { tone, gender, domain } = said(options);
  return { tone, gender, domain, text_type: options.textType, metadata: metadataOf(options) };
}

/** The options as fields of a text file's request. */
export function fileFields(
  options: Options,
): Pick<FileTranslationRequest, 'tone' | 'gender' | 'domain' | 'metadata'> {
  return { ...documentFields(options), metadata: metadataOf(options) };
}

/** The options as fields of a document's request. */
export function documentFields(options: Options): { tone?: string; gender?: string; domain?: string } {
  const { tone, gender, domain } = said(options);
  return { ...(tone && { tone }), ...(gender && { gender }), ...(domain && { domain }) };
}

/** The three hints as text, trimmed; null if not set. */
export function said({ tone, gender, domain }: Options) {
  return { tone: tone.trim() || null, gender: gender.trim() || null, domain: domain.trim() || null };
}

/** The keys that the pipeline reads. */
function metadataOf({ minQuality, qualityRounds, requireReview, candidateModels, debateRounds }: Options) {
  const models = candidateModels.trim();
  return {
    ...(minQuality !== '' && { min_quality_score: Number(minQuality) }),
    ...(qualityRounds !== '' && { max_quality_loop_retries: Number(qualityRounds) }),
    ...(requireReview && { requires_human_review: true }),
    ...(models && { candidate_models: models }),
    ...(models && debateRounds !== '' && { debate_rounds: Number(debateRounds) }),
  };
}
