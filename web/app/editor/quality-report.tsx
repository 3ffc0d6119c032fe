import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { DocumentQualityFinding, TenantDocumentJob } from '#sdk/types.ts';
import type { Includable } from '#server/formats/selection.ts';
import { type MessageId, useT } from '../i18n.tsx';
import { Stack } from '../kit/box.tsx';
import { Group } from '../kit/check-group.tsx';
import { DataTable } from '../kit/data-table.tsx';
import { Check } from '../kit/field.tsx';
import { Badge } from '../kit/text.tsx';
import { announce } from '../parts/announcer.tsx';
import { useFormat } from '../parts/format.ts';
import { Problem } from '../parts/problem.tsx';
import { includableNames, reasonNames } from '../parts/reason-names.ts';
import { sendAgain } from '../parts/translate-again.tsx';
import { useAction } from '../parts/use-action.ts';
import { queryKeys } from '../query-keys.ts';
import styles from './quality-report.module.css';
import type { SegmentFilter } from './segment-filter.ts';
import { segmentOfFinding } from './use-segments.ts';

const findingCodes = [
  'missing_translation',
  'translation_expansion',
  'low_segment_quality',
  'terminology_noncompliant',
  'text_truncated',
  'text_too_long',
  'text_shrunk',
  'font_substituted',
  'formatting_lost',
  'table_header_kept',
  'unsupported_content_kept',
  'active_content_removed',
  'content_left_out',
  'text_recognized',
  'not_selected',
] as const;

/** Maximum number of findings that are listed for each kind. */
const most = 100;

/** Kinds of findings about elements that are not a segment, such as a table. */
const withoutSegment = ['table_header_kept'];

/** A document's score and findings, by kind. A finding links to its segment. */
export default function QualityReport({
  document,
  onFilter,
  onOpen,
}: {
  document: TenantDocumentJob;
  onFilter: (filter: SegmentFilter) => void;
  onOpen: (position: number) => void;
}) {
  const { id, quality_report: report } = document;
  const t = useT();
  const { run, error } = useAction();
  const { number } = useFormat();
  if (!report || report.total_units === 0) return null;
  const kinds = [...Map.groupBy(report.findings, ({ code }) => code)];
  const open = async (finding: DocumentQualityFinding) => {
    const segment = await segmentOfFinding(id, finding);
    if (!segment) return announce(t('documents.no_segment_there'));
    // If this segment still needs a review, the list shows the others that do; otherwise the list shows all segments.
    onFilter(
      isDoubt(finding.code) && segment.quality.needs_review && segment.confirmed_at === null
        ? { flagged: true }
        : {},
    );
    onOpen(segment.position);
  };
  const nameOf = (code: string) => {
    const known = findingCodes.find((one) => one === code);
    return known ? t(`documents.finding_${known}`) : code;
  };
  return (
    <details className={styles['report']}>
      <summary>
        {t('documents.report', {
          score: number(Math.round(report.overall_score * 100)),
          count: report.findings.length,
        })}
      </summary>
      {error ? <Problem error={error} /> : null}
      <IncludeMore document={document} />
      <Receipt metadata={report.metadata} />
      {kinds.length === 0 && <p>{t('documents.no_findings')}</p>}
      {kinds.map(([code, findings]) => (
        <details key={code}>
          <summary>
            <Badge tone={findings.some(({ severity }) => severity === 'error') ? 'bad' : undefined}>
              {number(findings.length)}
            </Badge>{' '}
            {nameOf(code)}
          </summary>
          {isDoubt(code) && (
            <button type="button" className="plain small" onClick={() => onFilter({ flagged: true })}>
              {t('documents.show_flagged')}
            </button>
          )}
          <ul>
            {findings.slice(0, most).map((finding, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a report does not change, and its findings have no id
              <li key={place}>
                {finding.unit_id === null || withoutSegment.includes(code) ? (
                  <bdi>{finding.message}</bdi>
                ) : (
                  <button type="button" className="plain small" onClick={run(() => open(finding))}>
                    <bdi>{finding.message}</bdi>
                  </button>
                )}
              </li>
            ))}
          </ul>
          {findings.length > most && <p className="hint">{t('documents.first_findings', { most })}</p>}
        </details>
      ))}
    </details>
  );
}

/** Whether findings of this kind mean that their segment needs a review. */
function isDoubt(code: string): boolean {
  return code === 'low_segment_quality' || code === 'terminology_noncompliant';
}

/**
 * Names the texts of a document that were not translated but can be, and sends its file again with those that the member
 * selects. Nothing is shown if the file has none.
 */
function IncludeMore({ document }: { document: TenantDocumentJob }) {
  const t = useT();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { run, error, isBusy } = useAction();
  const found = leftOut(document);
  const [chosen, setChosen] = useState<readonly Includable[]>(() => found.map(({ name }) => name));
  if (found.length === 0) return null;
  const send = run(async () => {
    const next = await sendAgain(
      document,
      found.flatMap(({ name }) => (chosen.includes(name) ? [name] : [])),
    );
    await queries.invalidateQueries({ queryKey: queryKeys.documents.all });
    await navigate({ to: '/app/edit/documents/$documentId', params: { documentId: next.id } });
    announce(t('documents.sent_again'));
  });
  return (
    <Stack as="form" gap={2} align="start" onSubmit={send}>
      <Group label={t('documents.include_more')}>
        {found.map(({ name, texts }) => (
          <Check
            key={name}
            label={t('documents.include_texts', { name: t(includableNames[name]), count: texts })}
            isChecked={chosen.includes(name)}
            onChange={(isChosen) =>
              setChosen(isChosen ? [...chosen, name] : chosen.filter((one) => one !== name))
            }
          />
        ))}
      </Group>
      <button type="submit" className="small" aria-disabled={isBusy} disabled={chosen.length === 0}>
        {t('documents.include_again')}
      </button>
      <p className="hint">{t('documents.include_hint')}</p>
      {error !== undefined && <Problem error={error} />}
    </Stack>
  );
}

/** The texts that the request left out and could include. The receipt has only those of the file's format. */
function leftOut({ quality_report: report, request }: TenantDocumentJob) {
  const rows = receiptOf(report?.metadata ?? {})?.rows ?? [];
  return (Object.keys(includableNames) as Includable[]).flatMap((name) => {
    const texts = rows
      .filter(({ outcome, reason }) => outcome === 'not_selected' && reason === name)
      .reduce((sum, row) => sum + row.texts, 0);
    return texts > 0 && !request.include?.includes(name) ? [{ name, texts }] : [];
  });
}

/** A row of the receipt in the metadata of a quality report. */
interface ReceiptRow {
  outcome: string;
  reason: string | null;
  texts: number;
  characters: number;
}

const outcomes: Readonly<Record<string, MessageId>> = {
  translated: 'documents.outcome_translated',
  unchanged: 'documents.outcome_unchanged',
  failed: 'documents.outcome_failed',
  unreadable: 'documents.outcome_unreadable',
  unaccounted: 'documents.outcome_unaccounted',
};

/** Returns the receipt of a quality report; undefined if it has none. */
function receiptOf(metadata: Readonly<Record<string, unknown>>) {
  return metadata['receipt'] as { rows: ReceiptRow[]; texts: number; characters: number } | undefined;
}

/** A table with the outcome of every visible text of a document. Nothing is shown for a report without a receipt. */
function Receipt({ metadata }: { metadata: Readonly<Record<string, unknown>> }) {
  const t = useT();
  const { number } = useFormat();
  const receipt = receiptOf(metadata);
  if (!receipt) return null;
  const nameOf = ({ outcome, reason }: ReceiptRow): string => {
    const known = outcomes[outcome];
    if (known) return t(known);
    const named = reasonNames[reason ?? ''];
    const words = named ? t(named) : (reason ?? outcome).replaceAll('_', ' ');
    return t(outcome === 'not_selected' ? 'documents.outcome_not_selected' : 'documents.outcome_kept', {
      reason: words,
    });
  };
  const rows = new Map<string, { texts: number; characters: number }>();
  for (const row of receipt.rows) {
    const { texts = 0, characters = 0 } = rows.get(nameOf(row)) ?? {};
    rows.set(nameOf(row), { texts: texts + row.texts, characters: characters + row.characters });
  }
  const { texts, characters } = receipt;
  return (
    <details>
      <summary>{t('documents.receipt')}</summary>
      <DataTable
        rows={[...rows, [t('documents.receipt_total'), { texts, characters }] as const]}
        keyOf={([name]) => name}
        columns={[
          { title: t('documents.receipt_outcome'), isName: true, cell: ([name]) => name },
          { title: t('documents.receipt_texts'), cell: ([, row]) => number(row.texts) },
          { title: t('documents.receipt_characters'), cell: ([, row]) => number(row.characters) },
        ]}
      />
    </details>
  );
}
