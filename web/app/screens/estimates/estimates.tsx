import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { analyses } from '#sdk/analyses.ts';
import type { AnalysisSummary } from '#sdk/types.ts';
import { bound } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { More, usePages } from '../../parts/more.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { StackedTable } from '../../parts/stacked-table.tsx';
import { estimateKeys } from './uploads.ts';

/** `/app/estimates`: the estimates of the workspace, the latest first. */
export function EstimatesScreen() {
  const t = useT();
  const { number, moment } = useFormat();
  const { nameOf } = useLanguages();
  const [deleted, setDeleted] = useState<AnalysisSummary>();
  const { reading, more } = usePages(estimateKeys.lists, (cursor) =>
    bound(analyses).listPage({ limit: 50, ...(cursor && { cursor }) }),
  );
  const nameOfOne = ({ files, target_langs }: AnalysisSummary) =>
    t('estimates.open', { files, languages: target_langs.map(nameOf).join(', ') });
  return (
    <>
      <title>{`${t('estimates.title')} · LinguaLoop`}</title>
      <PageHead title={t('estimates.title')}>
        <Link to="/app/translate" search={{ kind: 'file' }} className="button primary">
          <Plus size={16} aria-hidden /> {t('estimates.new')}
        </Link>
      </PageHead>
      <p className="hint">{t('estimates.kept')}</p>
      <Read from={reading} lines={8}>
        {(found) =>
          found.length === 0 ? (
            <p>{t('estimates.none')}</p>
          ) : (
            <StackedTable
              columns={[
                t('estimates.files'),
                t('estimates.created'),
                t('estimates.by'),
                t('estimates.billed'),
                t('estimates.status'),
              ]}
              actions={t('estimates.delete')}
            >
              {found.map((one) => (
                <tr key={one.id}>
                  <td>
                    <Link to="/app/estimates/$estimateId" params={{ estimateId: one.id }}>
                      {nameOfOne(one)}
                    </Link>
                  </td>
                  <td data-label={t('estimates.created')}>{moment(one.created_at)}</td>
                  <td data-label={t('estimates.by')}>
                    <bdi translate="no">{one.created_by ?? '–'}</bdi>
                  </td>
                  <td data-label={t('estimates.billed')}>{number(one.billable_characters)}</td>
                  <td data-label={t('estimates.status')}>
                    {t(one.started_at ? 'estimates.started' : `estimates.status_${one.status}`)}
                  </td>
                  <td>
                    <button
                      type="button"
                      className="ghost icon"
                      aria-label={`${t('estimates.delete')}: ${nameOfOne(one)}`}
                      title={t('estimates.delete')}
                      onClick={() => setDeleted(one)}
                    >
                      <Trash2 size={16} aria-hidden />
                    </button>
                  </td>
                </tr>
              ))}
            </StackedTable>
          )
        }
      </Read>
      <More of={more} />
      {deleted && <DeleteEstimate id={deleted.id} onClose={() => setDeleted(undefined)} />}
    </>
  );
}

/** Asks before an estimate is deleted. @param onDeleted called before the list is loaded again */
export function DeleteEstimate({
  id,
  onDeleted,
  onClose,
}: {
  id: string;
  onDeleted?: () => void;
  onClose: () => void;
}) {
  const t = useT();
  const queries = useQueryClient();
  return (
    <ConfirmDialog
      title={t('estimates.delete_question')}
      action={t('estimates.delete')}
      onClose={onClose}
      onConfirm={async () => {
        await bound(analyses).delete(id);
        onDeleted?.();
        announce(t('estimates.deleted'));
        await queries.invalidateQueries({ queryKey: estimateKeys.lists });
      }}
    >
      <p>{t('estimates.delete_why')}</p>
    </ConfirmDialog>
  );
}
