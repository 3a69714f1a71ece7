import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeWithKafka } from '../../kafka/describe-with-kafka.ts'
import { freePort } from '../../kafka/free-port.ts'
import { adminOf, java, startBroker } from '../../kafka/kafka.ts'
import type { Broker } from '../../kafka/kafka.ts'
import type { SaslOptions } from '../../../src/sources/kafka/options.ts'
import { tokenOf, wordsOf } from '../../../src/sources/kafka/token-command.ts'
import { readAll, sourceOf } from './reading.ts'

const MODULES = 'org.apache.kafka.common.security'
const ENABLED = 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER'

/** An unsigned token, which the broker takes for tests. */
const TOKEN = `${encoded({ alg: 'none' })}.${encoded({ sub: 'ann', iat: 1, exp: 4_000_000_000 })}.`

const folder = await mkdtemp(join(tmpdir(), 'tidemark-login-'))

describeWithKafka('a broker that wants a login', () => {
  let broker: Broker
  let address: string
  let tlsAddress: string
  let authority: string

  beforeAll(async () => {
    const port = await freePort()
    const open = await freePort()
    const controller = `127.0.0.1:${await freePort()}`
    const encrypted = await freePort()
    const keyStore = await makeKeyStore()
    const listeners = `PLAINTEXT://127.0.0.1:${open},SASL_PLAINTEXT://127.0.0.1:${port},SSL://127.0.0.1:${encrypted}`
    const listener = 'listener.name.sasl_plaintext'
    broker = await startBroker({
      port: open,
      properties: {
        'controller.quorum.bootstrap.servers': controller,
        listeners: `${listeners},CONTROLLER://${controller}`,
        'advertised.listeners': listeners,
        'listener.security.protocol.map':
          'PLAINTEXT:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT,SSL:SSL,CONTROLLER:PLAINTEXT',
        'ssl.keystore.location': keyStore,
        'ssl.keystore.password': 'changeit',
        'ssl.keystore.type': 'PKCS12',
        [`${listener}.sasl.enabled.mechanisms`]: ENABLED,
        [`${listener}.plain.sasl.jaas.config`]: `${MODULES}.plain.PlainLoginModule required user_ann="pa55";`,
        [`${listener}.scram-sha-256.sasl.jaas.config`]: `${MODULES}.scram.ScramLoginModule required;`,
        [`${listener}.scram-sha-512.sasl.jaas.config`]: `${MODULES}.scram.ScramLoginModule required;`,
        [`${listener}.oauthbearer.sasl.jaas.config`]: `${MODULES}.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";`,
      },
    })
    address = `127.0.0.1:${port}`
    tlsAddress = `127.0.0.1:${encrypted}`
    authority = await certificateOf(keyStore)
    await using admin = await adminOf(broker)
    await admin.createTopics({ topics: [{ topic: 't' }], waitForLeaders: true })
    await Promise.all([
      addUser(broker, 'ann', 'SCRAM-SHA-512=[password=pa55]'),
      addUser(broker, 'bob', 'SCRAM-SHA-256=[password=pa55]'),
    ])
  }, 120_000)

  afterAll(async () => {
    await broker[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  test.each<SaslOptions>([
    { mechanism: 'plain', username: 'ann', password: 'pa55' },
    { mechanism: 'scram-sha-256', username: 'bob', password: 'pa55' },
    { mechanism: 'scram-sha-512', username: 'ann', password: 'pa55' },
    { mechanism: 'oauthbearer', tokenCommand: `node -e "console.log('${TOKEN}')"` },
  ])('lets us in by $mechanism', async (sasl) => {
    await using source = sourceOf(address, { sasl })
    expect((await readAll(source)).ends).toEqual({ 't:0': 0 })
  })

  test('is read over TLS when its authority is known, and not otherwise', async () => {
    await using source = sourceOf(tlsAddress, { ssl: { ca: authority } })
    expect((await readAll(source)).ends).toEqual({ 't:0': 0 })

    await using stranger = sourceOf(tlsAddress, { ssl: true })
    await expect(readAll(stranger)).rejects.toThrow(
      'SOURCE_UNAVAILABLE: the cluster: Connection error: self-signed certificate',
    )
  })

  test.each<SaslOptions>([
    { mechanism: 'plain', username: 'ann', password: 'S3CRET' },
    { mechanism: 'scram-sha-256', username: 'ann', password: 'S3CRET' },
    { mechanism: 'scram-sha-512', username: 'ann', password: 'S3CRET' },
    { mechanism: 'oauthbearer', tokenCommand: 'echo S3CRET' },
  ])('is refused by $mechanism with a wrong secret, which is not told', async (sasl) => {
    await using source = sourceOf(address, { sasl })
    const failure = await readAll(source).catch((error: unknown) => error)
    expect(String(failure)).toBe(
      'TidemarkError: SOURCE_UNAVAILABLE: the brokers refuse the login; check sasl, and that the user may connect',
    )
    expect(JSON.stringify(failure)).not.toContain('S3CRET')
  })
})

test('a token command that fails is named without its arguments', async () => {
  await expect(tokenOf('false S3CRET')).rejects.toThrow(
    'SOURCE_UNAVAILABLE: the token command false failed (1)',
  )
  await expect(tokenOf('/no/such/program')).rejects.toThrow('does not exist')
  await expect(tokenOf('true')).rejects.toThrow('the token command true printed nothing')
})

test('words of a token command are parted by spaces outside of quotes, and no shell sees them', async () => {
  expect(wordsOf(`get-token --scope "a b" 'c "d"' e"f g"h`)).toEqual([
    'get-token',
    '--scope',
    'a b',
    'c "d"',
    'ef gh',
  ])
  expect(await tokenOf('echo $HOME; id')).toBe('$HOME; id')
})

/** kafkajs's administrator cannot do it. */
async function addUser({ bootstrap }: Broker, name: string, secret: string): Promise<void> {
  const words = `--bootstrap-server ${bootstrap} --alter --entity-type users --entity-name ${name}`
  const { program, args } = await java('broker', [
    'kafka.admin.ConfigCommand',
    ...words.split(' '),
    '--add-config',
    secret,
  ])
  await promisify(execFile)(program, args)
}

/** A key and a certificate for 127.0.0.1 that signs itself. */
async function makeKeyStore(): Promise<string> {
  const keyStore = join(folder, 'keys.p12')
  await keytool(
    keyStore,
    '-genkeypair -alias broker -keyalg RSA -dname CN=127.0.0.1 -ext san=ip:127.0.0.1 -validity 2',
  )
  return keyStore
}

async function certificateOf(keyStore: string): Promise<string> {
  return keytool(keyStore, '-exportcert -rfc -alias broker')
}

async function keytool(keyStore: string, words: string): Promise<string> {
  const store = ['-keystore', keyStore, '-storepass', 'changeit', '-storetype', 'PKCS12']
  return (await promisify(execFile)('keytool', [...words.split(' '), ...store])).stdout
}

function encoded(claims: object): string {
  return Buffer.from(JSON.stringify(claims)).toString('base64url')
}
