import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { OutputOf } from '#sdk/procedure-types.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Setting } from '../../parts/setting.tsx';
import { StackedTable } from '../../parts/stacked-table.tsx';
import { useAction } from '../../parts/use-action.ts';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import { DeletionDialog, type DeletionPreview } from './deletion-dialog.tsx';
import styles from './operator.module.css';

/** The deletion of a workspace: scheduled, running or finished. */
type DeletionRecord = OutputOf<'retention.listDeletions'>['deletions'][number];

/** Milliseconds between two reads of the list while a deletion is running. */
const pollMs = 5000;

/** Counts and schedules the deletion of a workspace, and lists all deletions with their reports. */
export function Deletions() {
  const t = useT();
  const reading = useQuery({
    queryKey: queryKeys.operator.deletions,
    queryFn: () => procedures.retention.listDeletions.query(),
    refetchInterval: ({ state }) =>
      state.data?.deletions.some(({ state }) => state === 'running') ? pollMs : false,
  });
  return (
    <Setting id="deletions" title={t('operator.deletions')} why={t('operator.deletions_why')} wide>
      <DryRun />
      <Read from={reading} lines={3}>
        {({ deletions }) =>
          deletions.length === 0 ? (
            <p className="hint">{t('operator.no_deletions')}</p>
          ) : (
            <DeletionTable deletions={deletions} />
          )
        }
      </Read>
    </Setting>
  );
}

/** Counts what a deletion would delete, before it can be scheduled. */
function DryRun() {
  const t = useT();
  const { number } = useFormat();
  const [id, setId] = useState('');
  const [found, setFound] = useState<DeletionPreview>();
  const [isAsking, setAsking] = useState(false);
  const { run, error, isBusy } = useAction();
  const count = run(async () => {
    setFound(undefined);
    setFound(await procedures.retention.previewDeletion.query({ tenant_id: id.trim() }));
  });
  return (
    <>
      <form className="form" onSubmit={count}>
        <Field
          label={t('operator.workspace_id')}
          hint={t('operator.dry_run_hint')}
          problem={undefined}
          required
          dir="ltr"
          maxLength={64}
          autoComplete="off"
          value={id}
          onValue={(value) => {
            setId(value);
            setFound(undefined);
          }}
        />
        <button type="submit" disabled={isBusy}>
          {t('operator.dry_run')}
        </button>
        {error !== undefined && <Problem error={error} />}
      </form>
      {found && (
        <section className={styles['preview']} aria-labelledby="deletion-preview">
          <h3 id="deletion-preview">
            <bdi translate="no">{found.name}</bdi>
          </h3>
          <p>
            {t('operator.counts', {
              rows: atLeast(sumOf(found.rows), number, Object.values(found.rows), found.max_counted),
              files: atLeast(found.files, number, [found.files], found.max_counted),
            })}
          </p>
          <p className="hint">{t('operator.counts_hint')}</p>
          <RowCounts rows={found.rows} max={found.max_counted} />
          <div className="actions">
            <button type="button" className="danger" onClick={() => setAsking(true)}>
              {t('operator.delete')}
            </button>
          </div>
          {isAsking && (
            <DeletionDialog
              found={found}
              onDone={() => {
                setFound(undefined);
                setId('');
              }}
              onClose={() => setAsking(false)}
            />
          )}
        </section>
      )}
    </>
  );
}

/** A number, with a plus if a part of it was not counted to its end. */
function atLeast(
  value: number,
  number: (value: number) => string,
  parts: readonly number[],
  max: number,
): string {
  return parts.some((part) => part >= max) ? `${number(value)}+` : number(value);
}

function DeletionTable({ deletions }: { deletions: readonly DeletionRecord[] }) {
  const t = useT();
  const format = useFormat();
  const [canceled, setCanceled] = useState<DeletionRecord>();
  return (
    <>
      <StackedTable
        columns={[
          t('operator.workspace'),
          t('operator.state'),
          t('operator.deletion_when'),
          t('operator.deletion_done'),
        ]}
        actions={t('operator.actions')}
      >
        {deletions.map((deletion) => (
          <tr key={deletion.id}>
            <th scope="row" className="plain-cell">
              {deletion.name !== null && (
                <bdi translate="no" className={styles['deletedName']}>
                  {deletion.name}
                </bdi>
              )}
              <code translate="no">{deletion.id}</code>
            </th>
            <td data-label={t('operator.state')}>
              <span className={badges[deletion.state]}>{t(`operator.deletion_${deletion.state}`)}</span>
            </td>
            <td data-label={t('operator.deletion_when')}>
              {format.moment(deletion.finished_at ?? deletion.due_at)}
            </td>
            <td data-label={t('operator.deletion_done')}>
              <Report of={deletion} />
            </td>
            <td>
              {deletion.state === 'scheduled' && (
                <button type="button" className="small" onClick={() => setCanceled(deletion)}>
                  {t('operator.cancel_deletion')}{' '}
                  <bdi className="visually-hidden" translate="no">
                    {deletion.name ?? deletion.id}
                  </bdi>
                </button>
              )}
            </td>
          </tr>
        ))}
      </StackedTable>
      {canceled && <CancelDialog deletion={canceled} onClose={() => setCanceled(undefined)} />}
    </>
  );
}

const badges = { scheduled: 'badge', running: 'badge bad', finished: 'badge good' } as const;

/** The counts of a deletion so far. */
function Report({ of: { state, rows, files, files_in_account, left_in_account } }: { of: DeletionRecord }) {
  const t = useT();
  const { number } = useFormat();
  if (state === 'scheduled') return '–';
  return (
    <>
      {t('operator.counts', { rows: number(sumOf(rows)), files: number(files + files_in_account) })}
      {left_in_account > 0 && (
        <p className="hint">{t('operator.left_in_account', { files: number(left_in_account) })}</p>
      )}
      <RowCounts rows={rows} />
    </>
  );
}

function CancelDialog({
  deletion: { id, name },
  onClose,
}: {
  deletion: DeletionRecord;
  onClose: () => void;
}) {
  const t = useT();
  const queries = useQueryClient();
  const cancel = async () => {
    try {
      await procedures.retention.cancelDeletion.mutate({ tenant_id: id });
      announce(t('operator.deletion_canceled'));
    } finally {
      void queries.invalidateQueries({ queryKey: queryKeys.operator.deletions });
      void queries.invalidateQueries({ queryKey: queryKeys.operator.tenants });
    }
  };
  return (
    <ConfirmDialog
      title={t('operator.cancel_deletion')}
      action={t('operator.cancel_deletion')}
      onConfirm={cancel}
      onClose={onClose}
      keep={t('operator.keep_deletion')}
    >
      <p>
        <bdi translate="no">{name ?? id}</bdi>
      </p>
      <p>{t('operator.cancel_deletion_why')}</p>
    </ConfirmDialog>
  );
}

/** Returns the sum of the rows of all tables. */
function sumOf(rows: Readonly<Record<string, number>>): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0);
}

/** The number of rows of each table, the largest first. @param max a number that stands for this number or more */
function RowCounts({
  rows,
  max = Number.POSITIVE_INFINITY,
}: {
  rows: Readonly<Record<string, number>>;
  max?: number;
}) {
  const t = useT();
  const { number } = useFormat();
  const sorted = Object.entries(rows).sort(([, one], [, other]) => other - one);
  if (sorted.length === 0) return null;
  return (
    <details className={styles['tables']}>
      <summary>{t('operator.by_table')}</summary>
      <dl translate="no">
        {sorted.map(([table, count]) => (
          <div key={table}>
            <dt>
              <code>{table}</code>
            </dt>
            <dd>{`${number(count)}${count >= max ? '+' : ''}`}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
