import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const folder = join(import.meta.dirname, '../node_modules/lucide-react/dist/esm');

/**
 * Imports each icon from its own module instead of the index file of lucide-react. Otherwise, all icons of the
 * application would be in the files of the first screen, because that screen uses the index file, too.
 */
export function iconImports(): Plugin {
  const modules = new Map<string, string>();
  for (const [, names = '', file = ''] of readFileSync(join(folder, 'lucide-react.mjs'), 'utf8').matchAll(
    /export \{([^}]*)\} from .(\.\/icons\/[\w-]+\.mjs)/g,
  ))
    for (const [, name = ''] of names.matchAll(/default as (\w+)/g)) modules.set(name, join(folder, file));
  return {
    name: 'icon-imports',
    enforce: 'pre',
    transform: {
      filter: { code: 'lucide-react' },
      handler: (code) =>
        code.replace(/import \{([^}]*)\} from .lucide-react.;/, (all, names: string) =>
          names
            .split(',')
            .map((name) => name.trim())
            .filter((name) => name !== '' && !name.startsWith('type '))
            .map((imported) => {
              const [name = '', local = name] = imported.split(' as ');
              const file = modules.get(name);
              if (!file) throw new Error(`lucide-react has no icon ${name}, in ${all}`);
              return `import ${local} from ${JSON.stringify(file)};`;
            })
            .join(' '),
        ),
    },
  };
}
