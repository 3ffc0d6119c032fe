import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { OutputOf } from '#sdk/procedure-types.ts';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { CommandKey } from '../../keys/command-key.tsx';
import { useCommands } from '../../keys/use-commands.ts';
import { Stack } from '../../kit/box.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { FormDialog } from '../../kit/dialog.tsx';
import { Text } from '../../kit/text.tsx';
import { useFormat } from '../../parts/format.ts';
import { queryKeys } from '../../query-keys.ts';
import { type Act, actOf, type Fix, textsOfFix } from './page-fixes.ts';

type Place = OutputOf<'documents.similar'>['places'][number];

/** Maximum number of texts that are kept by one fix. */
const maxKept = 50;

/** The fixes that make the same change at several places: only one, if it is not for too many texts. */
function fixesOf(act: Act, places: readonly Place[]): Fix[] {
  if (act !== 'keep') return [places.map(({ mend }) => mend) as Extract<Fix, readonly unknown[]>];
  const ids = places.flatMap(({ mend }) => textsOfFix(mend));
  return Array.from({ length: Math.ceil(ids.length / maxKept) }, (_, index) => ({
    action: act,
    region_ids: ids.slice(index * maxKept, (index + 1) * maxKept),
  }));
}

/** Offers to make a fix at the other places of the file that are like it. Nothing is shown without such places. */
export function SimilarPlaces({
  documentId,
  fix,
  onFix,
}: {
  documentId: string;
  fix: Fix;
  onFix: (fix: Fix) => void;
}) {
  const t = useT();
  const [isOpen, setOpen] = useState(false);
  const { data } = useQuery({
    queryKey: queryKeys.documents.similar(documentId, fix),
    queryFn: () =>
      Array.isArray(fix) ? { places: [] } : client.documents.similar({ document_id: documentId, mend: fix }),
    gcTime: 0,
  });
  const places = data?.places ?? [];
  useCommands({ similarPlaces: () => setOpen(places.length > 0) });
  if (places.length === 0) return null;
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {t('pageView.similar', { count: places.length })} <CommandKey id="similarPlaces" />
      </button>
      {isOpen && <PlacesDialog fix={fix} places={places} onFix={onFix} onClose={() => setOpen(false)} />}
    </>
  );
}

/** The places, the unsure ones first. Only sure ones are selected. */
function PlacesDialog({
  fix,
  places,
  onFix,
  onClose,
}: {
  fix: Fix;
  places: readonly Place[];
  onFix: (fix: Fix) => void;
  onClose: () => void;
}) {
  const t = useT();
  const { number } = useFormat();
  const [chosen, setChosen] = useState<ReadonlySet<Place>>(
    () => new Set(places.filter(({ is_sure }) => is_sure)),
  );
  const list = [...chosen];
  const opens = list.reduce((sum, { confirmed }) => sum + confirmed, 0);
  const act = actOf(fix) as 'join' | 'keep' | 'split';
  const texts = act === 'keep' ? [] : list.flatMap(({ after }) => after);
  return (
    <FormDialog
      title={t('pageView.similar', { count: places.length })}
      isWide
      action={t(`pageView.${act}_places`, { count: list.length })}
      isReady={list.length > 0}
      onSubmit={async () => fixesOf(act, list).forEach(onFix)}
      onClose={onClose}
    >
      <DataTable
        caption={t('pageView.similar', { count: places.length })}
        rows={places}
        keyOf={({ mend }) => JSON.stringify(mend)}
        isChosen={(place) => chosen.has(place)}
        columns={[
          {
            title: t('pageView.now'),
            wraps: true,
            cell: (place) => (
              <label className="check">
                <input
                  type="checkbox"
                  checked={chosen.has(place)}
                  onChange={() => setChosen(chosen.symmetricDifference(new Set([place])))}
                />{' '}
                <bdi>{place.now.join(' | ')}</bdi>
              </label>
            ),
          },
          {
            title: t('pageView.after_fix'),
            wraps: true,
            cell: ({ after, is_sure }) => (
              <Stack gap={0}>
                <bdi>{after.join(' | ')}</bdi>
                {!is_sure && (
                  <Text size="xs" tone="warn">
                    {t('pageView.not_sure')}
                  </Text>
                )}
              </Stack>
            ),
          },
          { title: t('pageView.page'), isNumeric: true, cell: ({ page }) => number(page) },
        ]}
      />
      <p className="hint" role="status">
        {act === 'keep'
          ? t('pageView.free')
          : t('pageView.again', {
              count: texts.length,
              characters: number(texts.reduce((sum, text) => sum + [...text].length, 0)),
            })}
        {opens > 0 && ` · ${t('pageView.opens_again', { count: opens })}`}
      </p>
    </FormDialog>
  );
}
