import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { styleGuides } from '#sdk/style-guides.ts';
import type { StyleGuide } from '#sdk/types.ts';
import { bound } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { Empty } from '../../kit/empty.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { queryKeys } from '../../query-keys.ts';
import { isAdministrator, useMe } from '../../session/use-me.ts';
import { GuideCard } from './guide-card.tsx';
import { GuideDialog } from './guide-dialog.tsx';
import { SpellingList } from './spelling-list.tsx';

/** An open dialog: to create a guide, or for an action on an existing guide. */
type Open = { what: 'create' } | { what: 'edit' | 'delete'; guide: StyleGuide };

/** `/app/style-guides`: the style guides of the workspace. Only administrators change them. */
export function StyleGuidesScreen() {
  const t = useT();
  const queries = useQueryClient();
  const { nameOf } = useLanguages();
  const me = useMe();
  const query = { queryKey: queryKeys.styleGuides, queryFn: () => bound(styleGuides).list() };
  const reading = useQuery(query);
  const readAgain = () => queries.fetchQuery({ ...query, staleTime: 0 });
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const changed = (words: string) => {
    announce(words);
    return queries.invalidateQueries({ queryKey: queryKeys.styleGuides });
  };
  const isAllowed = me.data !== undefined && isAdministrator(me.data);
  const titleOf = ({ target_lang }: StyleGuide) =>
    target_lang === null ? t('styleGuides.all_languages') : nameOf(target_lang);
  return (
    <>
      <title>{`${t('common.style_guides')} · LinguaLoop`}</title>
      <PageHead title={t('common.style_guides')}>
        {isAllowed && (
          <button type="button" className="primary" onClick={() => setOpen({ what: 'create' })}>
            <Plus size={16} aria-hidden /> {t('styleGuides.create')}
          </button>
        )}
      </PageHead>
      <p className="hint">{t('styleGuides.why')}</p>
      <Read from={reading} lines={8}>
        {({ guides }) => (
          <>
            {guides.length === 0 && (
              <Empty title={t(isAllowed ? 'styleGuides.none' : 'styleGuides.none_yet')} />
            )}
            {guides.map((guide) => (
              <GuideCard
                key={guide.target_lang}
                guide={guide}
                title={titleOf(guide)}
                onAct={isAllowed ? (what) => setOpen({ what, guide }) : undefined}
              />
            ))}
          </>
        )}
      </Read>
      <SpellingList />
      {open?.what === 'create' && (
        <GuideDialog
          title={t('styleGuides.create')}
          readAgain={readAgain}
          onSaved={changed}
          onClose={close}
        />
      )}
      {open?.what === 'edit' && (
        <GuideDialog
          title={t('styleGuides.edit_title', { language: titleOf(open.guide) })}
          edited={open.guide}
          readAgain={readAgain}
          onSaved={changed}
          onClose={close}
        />
      )}
      {open?.what === 'delete' && (
        <ConfirmDialog
          title={t('styleGuides.delete_title', { language: titleOf(open.guide) })}
          action={t('styleGuides.delete')}
          onClose={close}
          onConfirm={async () => {
            const { target_lang, version } = open.guide;
            await bound(styleGuides).delete({ target_lang, version });
            await changed(t('styleGuides.deleted'));
          }}
        >
          <p>{t('styleGuides.delete_why')}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
