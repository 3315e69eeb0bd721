# The tag of a Debian release moves with its security updates. Build with --pull to receive them.
ARG DEBIAN=docker.io/library/debian:trixie-slim

# Node is linked with libatomic.
FROM ${DEBIAN} AS base
RUN apt-get update && apt-get install -y --no-install-recommends libatomic1 && rm -rf /var/cache/apt/* /var/lib/apt/lists/*
WORKDIR /srv/noren

FROM base AS packages
RUN apt-get update && apt-get install -y --no-install-recommends npm
COPY package.json package-lock.json ./

FROM packages AS build
COPY scripts/setup.mjs scripts/
RUN npm run predev
COPY . .
# The checkout may be readable by its owner only.
RUN npm run prestart && chmod -R a+rX LICENSE app art build db package.json scripts server

# `npm ci` also installs Node. Of the packages, only the files remain that Node loads on this platform.
FROM packages AS production
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
RUN mv node_modules/node-linux-*/bin/node /usr/local/bin/ \
  && platform=$(node -p '`${process.platform}-${process.arch}`') \
  && find node_modules -name '*.map' -delete -o -name '*.d.ts' -delete -o -name '*.d.[cm]ts' -delete \
  && find node_modules/better-sqlite3/prebuilds -type f ! -name "$platform.node" -delete \
  && find node_modules/@expo-google-fonts -name '*.ttf' ! -name '*_600SemiBold.ttf' ! -name '*_800ExtraBold.ttf' -delete \
  && rm -rf node_modules/.bin node_modules/node-linux-* node_modules/@img/*-linuxmusl-* \
    node_modules/@img/sharp-wasm32 node_modules/better-sqlite3/deps

FROM base
RUN useradd --uid 1000 --home-dir /srv/noren --no-create-home noren && install -d -o noren -g noren -m 700 data
COPY --from=production /usr/local/bin/node /usr/local/bin/
COPY --from=production /srv/noren/node_modules node_modules
COPY --from=build /srv/noren/LICENSE /srv/noren/package.json ./
COPY --from=build /srv/noren/art/rendered art/rendered
COPY --from=build /srv/noren/db db
COPY --from=build /srv/noren/app app
COPY --from=build /srv/noren/server server
COPY --from=build /srv/noren/scripts scripts
COPY --from=build /srv/noren/build build
USER noren
ENV HOST=0.0.0.0
EXPOSE 3000
VOLUME /srv/noren/data
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1))"]
# The options are those of `npm start`.
CMD ["node", "--import=./server/first.mjs", "--max-semi-space-size=8", "--max-old-space-size=384", "--liftoff-only", "server/main.ts"]
