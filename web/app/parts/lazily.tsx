import { type ComponentType, type ReactNode, use, useState } from 'react';
import { useT } from '../i18n.tsx';
import bar from './dark-bar.module.css';
import { useOnline } from './offline.tsx';

/** Milliseconds before the retries of a failed load: a restart of the service takes a few seconds. */
const pauses = [300, 1000, 3000];

/**
 * A component whose script is loaded when it is first rendered, under a `Suspense`. If the script cannot be loaded, as
 * while the service restarts, the load is retried. If that fails, too, only this component is replaced by a message with
 * a button: React's `lazy` would replace the whole screen, with all that is typed in it.
 */
export function lazily<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): (props: Props) => ReactNode {
  let loading: Promise<ComponentType<Props> | undefined> | undefined;
  const loadAgain = async () => {
    for (const pause of [...pauses, undefined])
      try {
        return (await load()).default;
      } catch {
        if (pause !== undefined) await new Promise((resolve) => setTimeout(resolve, pause));
      }
    return undefined;
  };
  return function Lazy(props) {
    const [, setLoads] = useState(0);
    loading ??= loadAgain();
    const Loaded = use(loading);
    if (Loaded) return <Loaded {...props} />;
    const retry = () => {
      loading = undefined;
      setLoads((loads) => loads + 1);
    };
    return <NotLoaded retry={retry} />;
  };
}

/** At the end of the screen, because not every place of a component has room for a message. */
function NotLoaded({ retry }: { retry: () => void }) {
  const t = useT();
  const isOnline = useOnline();
  return (
    <div className={bar['fixed']}>
      <div role="alert" className={bar['bar']}>
        {t(isOnline ? 'common.part_not_loaded' : 'common.offline')}
        <button type="button" onClick={retry}>
          {t('common.retry')}
        </button>
      </div>
    </div>
  );
}
