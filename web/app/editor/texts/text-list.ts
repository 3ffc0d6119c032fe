import type { OutputOf } from '#sdk/procedure-types.ts';
import type { QualityIssue, TranslationJob } from '#sdk/types.ts';
import type { Languages } from '../marks.ts';
import type { EditedSegment } from '../segment.ts';

/** A text as the service lists it. */
export type ListedText = OutputOf<'reviews.texts'>['texts'][number];

/** A text as a segment of the editor. */
export interface TextSegment extends EditedSegment {
  /** The ID of the job. */
  id: string;
  /** The job's `updated_at`. A review includes the version, so that it does not overwrite a later change. */
  version: string;
  languages: Languages;
  /** Whether only the beginnings of source and translation are loaded. */
  is_cut: boolean;
  quality: { issues: QualityIssue[]; score: number | null };
  threshold: number | null;
  reasons: ListedText['reasons'];
  /** Other members who are reviewing the text. */
  holders: readonly string[];
}

/**
 * The texts of the editor. A text keeps its position while the editor is open: it does not move or disappear when it
 * is decided, here or by a colleague.
 */
export class TextList {
  #segments: readonly TextSegment[] = [];
  readonly #positions = new Map<string, number>();
  readonly #listeners = new Set<() => void>();

  /** All texts, by position. Each change creates another array. */
  readonly all = (): readonly TextSegment[] => this.#segments;

  /** Calls `listener` on each change. @returns a function that unsubscribes */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** The position of a text; undefined if it is not listed. */
  positionOf(id: string): number | undefined {
    return this.#positions.get(id);
  }

  /** @throws Error if no text has this position */
  at(position: number): TextSegment {
    const segment = this.#segments[position];
    if (!segment) throw new Error(`no text at position ${position}`);
    return segment;
  }

  /** Adds listed texts at the end, and updates those that are listed already, unless the listed state is later. */
  take(texts: readonly ListedText[]): void {
    const next = [...this.#segments];
    for (const text of texts) {
      const position = this.#positions.get(text.id);
      if (position === undefined) {
        this.#positions.set(text.id, next.length);
        next.push(segmentOf(text, next.length));
        continue;
      }
      const known = next[position] as TextSegment;
      if (isLater(text.updated_at, known.version)) next[position] = segmentOf(text, position);
      else if (known.holders.join() !== text.claimed_by.join())
        next[position] = { ...known, holders: text.claimed_by };
    }
    this.#set(next);
  }

  /** Takes over the whole texts and the status of a job. */
  takeJob(job: TranslationJob): void {
    const position = this.#positions.get(job.id);
    if (position === undefined) return;
    const known = this.at(position);
    if (isLater(known.version, job.updated_at)) return;
    const target = job.final_translation;
    this.update(position, {
      version: job.updated_at,
      source_text: job.request.source_text,
      target_text: target,
      pipeline_text: pipelineText(job),
      is_cut: false,
      ...(job.updated_at !== known.version && stateOf(job, known, target !== known.target_text)),
    });
  }

  update(position: number, change: Partial<TextSegment>): void {
    this.#set(this.#segments.with(position, { ...this.at(position), ...change }));
  }

  #set(next: readonly TextSegment[]): void {
    this.#segments = next;
    for (const listener of this.#listeners) listener();
  }
}

/** Whether a reviewer can decide about a text now: it is loaded whole, and no one has decided. */
export function isDecidable({ confirmed_at, is_cut }: TextSegment): boolean {
  return confirmed_at === null && !is_cut;
}

/** Whether a job still awaits review. */
export function isReviewable({ status }: Pick<TranslationJob, 'status'>): boolean {
  return status === 'awaiting_review' || status === 'refined';
}

/** The machine translation, if a reviewer has saved another text. */
function pipelineText({ request }: TranslationJob): string | null {
  const kept = request.metadata?.['review_pipeline_candidate'];
  return typeof kept === 'string' ? kept : null;
}

/** The status and findings of a job that has changed. The stored findings apply only to the text that was checked. */
function stateOf(
  job: TranslationJob,
  { status, quality }: TextSegment,
  isOtherText: boolean,
): Pick<TextSegment, 'status' | 'confirmed_at' | 'quality'> {
  const { updated_at: changedAt } = job;
  if (job.status === 'rejected') return { status: 'rejected', confirmed_at: changedAt, quality };
  if (!isReviewable(job)) return { status: 'confirmed', confirmed_at: changedAt, quality };
  const isFlagged = status === 'critical' || status === 'warning';
  return {
    status: isFlagged ? 'warning' : 'draft',
    confirmed_at: null,
    quality: isOtherText ? { ...quality, issues: [] } : quality,
  };
}

function segmentOf(text: ListedText, position: number): TextSegment {
  const isDecided = text.status === 'confirmed' || text.status === 'rejected';
  return {
    position,
    id: text.id,
    version: text.updated_at,
    source_text: text.source_text,
    target_text: text.target_text,
    pipeline_text: text.pipeline_text,
    status: text.status,
    quality: { issues: text.issues, score: text.score },
    confirmed_at: isDecided ? text.updated_at : null,
    place: [text.domain, text.submitter].filter(Boolean).join(' · '),
    context: text.context,
    max_length: text.max_length,
    length_unit: text.length_unit,
    languages: { source: text.source_lang, target: text.target_lang },
    is_html: text.is_html,
    is_cut: text.is_cut,
    threshold: text.threshold,
    reasons: text.reasons,
    holders: text.claimed_by,
  };
}

function isLater(one: string, other: string): boolean {
  return Date.parse(one) > Date.parse(other);
}
