import { X } from 'lucide-react';
import { type ReactNode, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { useT } from '../../i18n.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import { detected } from '../../parts/source-language.tsx';
import { useGlossaries } from '../../terms/use-glossaries.ts';
import { OptionFields } from './option-fields.tsx';
import styles from './options.module.css';
import { noOptions, type OptionName, type Options, optionsOf } from './options.ts';
import type { TranslateKind } from './search.ts';

/** The widths at which the drawer stands next to the texts. Below them, it covers the screen. */
const wide = matchMedia('(width >= 68rem)');

function subscribeToWidth(listener: () => void): () => void {
  wide.addEventListener('change', listener);
  return () => wide.removeEventListener('change', listener);
}

/** The options that the drawer offers for each way to translate. */
export const offeredFor: Record<TranslateKind, readonly OptionName[]> = {
  text: optionsOf.text,
  batch: optionsOf.batch,
  file: optionsOf.textFile,
};

/** Options of the next translation. @param children what the options cost */
export function OptionsDrawer({
  id,
  kind,
  isOpen,
  options,
  from,
  to,
  onChange,
  onClose,
  children,
}: {
  id: string;
  kind: TranslateKind;
  isOpen: boolean;
  options: Options;
  from: string;
  to: readonly string[];
  onChange: (options: Options) => void;
  onClose: () => void;
  children: ReactNode;
}) {
  const t = useT();
  const drawer = useRef<HTMLDialogElement>(null);
  const isWide = useSyncExternalStore(subscribeToWidth, () => wide.matches);
  useLayoutEffect(() => {
    const element = drawer.current;
    if (!element || !isOpen) return;
    if (isWide) element.show();
    else element.showModal();
    return () => element.close();
  }, [isOpen, isWide]);
  const note = kind !== 'text' && (kind === 'batch' ? 'translate.batch_options' : 'translate.file_options');
  return (
    <dialog
      ref={drawer}
      id={id}
      className={styles.drawer}
      aria-labelledby={`${id}-title`}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <header>
        <h2 id={`${id}-title`}>{t('translate.options')}</h2>
        <button type="button" className="ghost icon" aria-label={t('common.close')} onClick={onClose}>
          <X size={16} aria-hidden />
        </button>
      </header>
      {isOpen && (
        <>
          <OptionFields
            options={options}
            offered={offeredFor[kind]}
            set={(change) => onChange({ ...options, ...change })}
          />
          {note && <p className="hint">{t(note)}</p>}
          <Glossaries from={from} to={to} />
          {children}
          <button type="button" className={styles.reset} onClick={() => onChange(noOptions)}>
            {t('translate.reset_options')}
          </button>
        </>
      )}
    </dialog>
  );
}

/** The glossaries of the selected languages, which apply without a selection. */
function Glossaries({ from, to }: { from: string; to: readonly string[] }) {
  const t = useT();
  const { nameOf } = useLanguages();
  const { data } = useGlossaries();
  const fitting = data?.filter(
    ({ source_lang: source, target_lang: target }) =>
      (source === null || from === detected || source === from) &&
      (target === null || to.some((one) => one === target)),
  );
  return (
    <section className={styles.glossaries}>
      <h3>{t('translate.glossaries')}</h3>
      <ul>
        {fitting?.map(({ id, name, target_lang: target }) => (
          <li key={id} className="badge">
            <bdi translate="no">{name}</bdi>
            {target && to.length > 1 && <span>{nameOf(target)}</span>}
          </li>
        ))}
      </ul>
      <p className="hint">
        {t(fitting?.length === 0 ? 'translate.glossaries_none' : 'translate.glossaries_automatic')}
      </p>
    </section>
  );
}
