import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ComponentType, useState } from 'react';
import { deployment } from '../../deployment.ts';
import { type MessageId, useT } from '../../i18n.tsx';
import { detected } from '../../parts/source-language.tsx';
import { BatchTranslation } from './batch-translation.tsx';
import { FileTranslation } from './file-translation.tsx';
import type { LanguageChoiceProps, TranslateKind } from './search.ts';
import { TextTranslation } from './text-translation.tsx';
import styles from './translate.module.css';

const kinds: readonly [kind: TranslateKind, name: MessageId, form: ComponentType<LanguageChoiceProps>][] = [
  ['text', 'translate.text', TextTranslation],
  ['batch', 'translate.batch', BatchTranslation],
  ['file', 'translate.file', FileTranslation],
];

/**
 * `/app/translate`: translates a text, a batch of texts, or a file. The URL contains the languages, but never the text.
 */
export function TranslateScreen() {
  const t = useT();
  const navigate = useNavigate();
  const search = useSearch({ from: '/workspace/app/translate' });
  const { kind = 'text', from = detected, to = [] } = search;
  const [opened, setOpened] = useState<readonly TranslateKind[]>([]);
  if (!opened.includes(kind)) setOpened([...opened, kind]);
  const languages: LanguageChoiceProps = {
    from,
    to,
    choose: (chosen) =>
      void navigate({
        to: '/app/translate',
        search: { ...search, ...chosen },
        replace: true,
        resetScroll: false,
      }),
  };
  return (
    <>
      <title>{`${t('translate.title')} · LinguaLoop`}</title>
      <h1>{t('translate.title')}</h1>
      {!deployment.liveEngine && (
        <p role="note" className={styles.notice}>
          {t('translate.stub')}
        </p>
      )}
      <nav aria-label={t('translate.what')} className={styles.kinds}>
        {kinds.map(([one, name]) => (
          <Link
            key={one}
            to="/app/translate"
            search={{ ...search, kind: one }}
            aria-current={one === kind ? 'page' : undefined}
          >
            {t(name)}
          </Link>
        ))}
      </nav>
      {/* A tab stays mounted after it was opened, so that a text is not lost in a switch between tabs. */}
      {kinds
        .filter(([one]) => opened.includes(one))
        .map(([one, , Form]) => (
          <div key={one} hidden={kind !== one}>
            <Form {...languages} />
          </div>
        ))}
    </>
  );
}
