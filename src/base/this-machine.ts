// Decides whether an endpoint is on this machine, and finds the proxy that Node sends requests to another one through.

/** Only loopback addresses, and names that should have one: a machine in the local network is another machine. */
export function isThisMachine(endpoint: string): boolean {
  const { hostname } = new URL(endpoint);
  return hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname) || /^(?:.+\.)?localhost$/.test(hostname);
}

/**
 * The origin of the proxy, without credentials; undefined where requests go to the endpoint directly, as all to this machine do.
 * @param flags of Node itself
 */
export function proxyFor(
  endpoint: string,
  env: NodeJS.ProcessEnv = process.env,
  flags: readonly string[] = process.execArgv,
): string | undefined {
  if (isThisMachine(endpoint) || !areProxiesUsed(env, flags)) return undefined;
  const { protocol, hostname, port } = new URL(endpoint);
  const [defaultPort, http] = [protocol === 'https:' ? '443' : '80', env.http_proxy || env.HTTP_PROXY];
  const proxy = protocol === 'https:' ? env.https_proxy || env.HTTPS_PROXY || http : http;
  if (!proxy || isExcepted(hostname, port || defaultPort, env)) return undefined;
  return URL.canParse(proxy) ? new URL(proxy).origin : 'in the environment';
}

/** Without this, Node ignores the variables. */
function areProxiesUsed(env: NodeJS.ProcessEnv, flags: readonly string[]): boolean {
  const options = [...flags, ...(env.NODE_OPTIONS ?? '').split(/\s+/)];
  return env.NODE_USE_ENV_PROXY === '1' || options.includes('--use-env-proxy');
}

function isExcepted(hostname: string, port: string, env: NodeJS.ProcessEnv): boolean {
  return (env.no_proxy || env.NO_PROXY || '').split(/[,\s]+/).some((entry) => {
    if (entry === '*') return true;
    const [, name = entry, ownPort = port] = /^(.+):(\d+)$/.exec(entry) ?? [];
    const domain = name.toLowerCase().replace(/^\*?\.?/, '');
    return domain !== '' && ownPort === port && (hostname === domain || hostname.endsWith(`.${domain}`));
  });
}
