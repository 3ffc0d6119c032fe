import { describe } from 'vitest';
import { testStore } from './store-rules.ts';
import { isSwiftInstalled, startSwift } from './swift.ts';

if (!isSwiftInstalled) console.log('skipped: OpenStack Swift (swift-proxy and its servers) is not installed');

describe.skipIf(!isSwiftInstalled)('a bucket of OpenStack Swift', () =>
  testStore(async () => {
    const swift = await startSwift();
    return { open: () => swift.open(), close: swift.empty };
  }),
);
