# One image for both kinds of process: the API by default, the job workers with `npm run worker`'s command.
# The digest is that of Node 24.21.0. To update it: docker buildx imagetools inspect node:24-slim
FROM node:24-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The script "prepare" builds nothing without the dev dependencies, and deletes what no process loads.
COPY docker/trim-packages.ts docker/trim-packages.ts
COPY web/build.ts web/
COPY web/server/locale.ts web/server/locale.ts
COPY server/http/cookies.ts server/http/cookies.ts
# The image has a Node of its own.
RUN npm ci --omit=dev && rm -rf node_modules/node-* node_modules/.bin/node

# The recognition of text in scans, with the data of its languages: 96 MB, only if the image is built with OCR=true.
FROM node:24-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS ocr
ARG OCR=false
WORKDIR /app/server/formats/ocr/packages
COPY server/formats/ocr/packages/package.json server/formats/ocr/packages/package-lock.json ./
RUN if [ "$OCR" = true ]; then npm ci --ignore-scripts && rm -rf node_modules/@tesseract.js-data/*/4.0.0; fi

FROM node:24-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS web
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
# The application uses the SDK's code, and some of the service's tables.
COPY sdk/src sdk/src
COPY server server
COPY web web
COPY docker/trim-packages.ts docker/trim-packages.ts
# Builds web/dist, by the script "prepare".
RUN npm ci

FROM node:24-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
# What malloc frees goes back to the system (docs/performance.md); the scripts in package.json set the same.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY package.json LICENSE ./
COPY db db
COPY docs docs
COPY rest rest
COPY sdk/README.md sdk/README.md
COPY server server
COPY --from=ocr /app/server/formats/ocr/packages server/formats/ocr/packages
COPY web/server web/server
COPY web/pages web/pages
COPY --from=web /app/web/dist web/dist
COPY workers workers
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
EXPOSE 8080
# Whether it is ready. Job workers need METRICS for it, as in compose.yaml.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s CMD ["node", "server/commands/probe.ts"]
# Not through npm: SIGTERM must reach the process itself, which drains.
CMD ["node", "--max-semi-space-size=8", "server/main.ts", "--api-only"]
