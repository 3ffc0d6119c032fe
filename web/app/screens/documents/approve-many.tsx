import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import type { ApproveManyRequest, TenantDocumentJob } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { type Translate, useT } from '../../i18n.tsx';
import { Card } from '../../kit/card.tsx';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { Check } from '../../kit/field.tsx';
import { Badge } from '../../kit/text.tsx';
import { announce } from '../../parts/announcer.tsx';
import type { CriticalFinding } from '../../parts/critical-findings-of.ts';
import { queryKeys } from '../../query-keys.ts';

/** Maximum number of documents in a request. */
const most = 100;

/** Lists of documents that the reviewer has confirmed one by one, after an approval skipped them. */
type Named = Pick<ApproveManyRequest, 'confirm_critical' | 'confirm_unopened'>;

interface Result {
  id: string;
  name: string;
  /** The error message; undefined if the document was approved. */
  refusal: string | undefined;
}

/**
 * Approves the selected documents together, and shows the result of each.
 * @param children the actions, with a function that starts the approval
 */
export function ApproveMany({
  documents,
  onApproved,
  children,
}: {
  documents: readonly Pick<TenantDocumentJob, 'id' | 'source_file_name'>[];
  onApproved: () => void;
  children: (ask: () => void) => ReactNode;
}) {
  const t = useT();
  const queries = useQueryClient();
  /** The documents that the dialog names, also if the list changes before it is confirmed. */
  const [asked, setAsked] = useState<typeof documents>();
  const [results, setResults] = useState<Result[]>([]);
  const [leftOut, setLeftOut] = useState<LeftOut[]>([]);
  const approve = async (names: ReadonlyMap<string, string>, named: Named = {}) => {
    const outcome = await client.documents.approveMany({ document_ids: [...names.keys()], ...named });
    const nameOf = (id: string) => names.get(id) ?? id;
    setLeftOut(outcome.results.flatMap((one) => leftOutOf(one, nameOf(one.document_id)) ?? []));
    setResults(
      outcome.results.map((one) => ({
        id: one.document_id,
        name: nameOf(one.document_id),
        refusal: refusalOf(one, t),
      })),
    );
    const done = outcome.results.filter((one) => one.outcome === 'done').length;
    announce(t('documents.many_approved', { done, refused: outcome.results.length - done }));
    onApproved();
    await queries.invalidateQueries({ queryKey: queryKeys.documents.all });
  };
  return (
    <>
      {children(() => setAsked(documents))}
      {asked && (
        <ConfirmDialog
          title={t('documents.approve_many_question', { count: Math.min(asked.length, most) })}
          action={t('documents.approve')}
          onConfirm={() =>
            approve(new Map(asked.slice(0, most).map(({ id, source_file_name }) => [id, source_file_name])))
          }
          onClose={() => setAsked(undefined)}
        >
          <p>{t('documents.approve_why')}</p>
          {asked.length > most && <p className="hint">{t('documents.at_most', { most })}</p>}
        </ConfirmDialog>
      )}
      {leftOut.length > 0 && (
        <LeftOutDialog
          items={leftOut}
          onApprove={(ids) => {
            const named = leftOut.filter(({ id }) => ids.has(id));
            const of = (reason: LeftOut['reason']) =>
              named.filter((one) => one.reason === reason).map(({ id }) => id);
            return approve(new Map(named.map(({ id, name }) => [id, name])), {
              confirm_unopened: named.map(({ id }) => id),
              confirm_critical: of('critical_findings'),
            });
          }}
          onClose={() => setLeftOut([])}
        />
      )}
      {results.length > 0 && <Results of={results} onClose={() => setResults([])} />}
    </>
  );
}

type Outcome = Awaited<ReturnType<typeof client.documents.approveMany>>['results'][number];

/**
 * Returns a document that the approval skipped, with the findings that must be confirmed; undefined for any other
 * result.
 */
function leftOutOf(outcome: Outcome, name: string): LeftOut | undefined {
  if (outcome.outcome !== 'left_out') return undefined;
  const findings = outcome.critical_findings.flatMap(({ place, issues }) =>
    issues.map(({ explanation }) => ({ place, explanation })),
  );
  return { id: outcome.document_id, name, reason: outcome.reason, findings };
}

function refusalOf(outcome: Outcome, t: Translate): string | undefined {
  if (outcome.outcome === 'refused') return outcome.detail;
  if (outcome.outcome !== 'left_out') return undefined;
  return t(outcome.reason === 'unopened' ? 'review.not_opened' : 'review.has_critical');
}

function Results({ of, onClose }: { of: readonly Result[]; onClose: () => void }) {
  const t = useT();
  return (
    <Card as="section" tone="sunken" pad={4} aria-labelledby="approval-results">
      <h2 id="approval-results">{t('documents.results')}</h2>
      <ul className="rows">
        {of.map(({ id, name, refusal }) => (
          <li key={id}>
            <Badge tone={refusal === undefined ? 'good' : 'bad'}>
              {t(refusal === undefined ? 'documents.approved' : 'documents.refused')}
            </Badge>{' '}
            <bdi translate="no">{name}</bdi> {refusal !== undefined && <bdi>{refusal}</bdi>}
          </li>
        ))}
      </ul>
      <button type="button" className="small" onClick={onClose}>
        {t('common.close')}
      </button>
    </Card>
  );
}

/** An item that an approval of several items skipped. */
interface LeftOut {
  id: string;
  /** The item's name: a document's file name, or the beginning of a text. */
  name: string;
  reason: 'unopened' | 'critical_findings';
  findings: readonly CriticalFinding[];
}

/** Shows the items that an approval skipped, each with the reason, and approves the items that the reviewer selects. */
function LeftOutDialog(props: Props) {
  // If the service skips some of the selected items again, the dialog starts again with those.
  return <Question key={props.items.map(({ id, reason }) => `${id} ${reason}`).join()} {...props} />;
}

interface Props {
  items: readonly LeftOut[];
  /** Approves the selected items. The caller then passes the items that are still skipped. */
  onApprove: (ids: ReadonlySet<string>) => Promise<unknown>;
  onClose: () => void;
}

function Question({ items, onApprove, onClose }: Props) {
  const t = useT();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const isReplaced = useRef(false);
  const toggle = (id: string) =>
    setChosen((before) =>
      before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id]),
    );
  return (
    <ConfirmDialog
      title={t('review.left_out', { count: items.length })}
      action={t('review.approve_ticked', { count: chosen.size })}
      isReady={chosen.size > 0}
      onConfirm={async () => {
        await onApprove(chosen);
        isReplaced.current = true;
      }}
      onClose={() => {
        if (!isReplaced.current) onClose();
      }}
    >
      <p>{t('review.left_out_why')}</p>
      <ul className="rows">
        {items.map(({ id, name, reason, findings }) => (
          <li key={id}>
            <Check
              label={<bdi translate="no">{name}</bdi>}
              isChecked={chosen.has(id)}
              onChange={() => toggle(id)}
            />
            <span className="hint">
              {t(reason === 'unopened' ? 'review.not_opened' : 'review.has_critical')}
            </span>
            <CriticalFindings findings={findings} />
          </li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}

function CriticalFindings({ findings }: { findings: readonly CriticalFinding[] }) {
  if (findings.length === 0) return null;
  return (
    <ul>
      {findings.map(({ explanation, place }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no other identity, and none is added or removed
        <li key={index}>
          {place !== undefined && <bdi translate="no">{`${place}: `}</bdi>}
          <bdi>{explanation}</bdi>
        </li>
      ))}
    </ul>
  );
}
