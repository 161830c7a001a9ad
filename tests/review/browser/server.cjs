// `spml review` as a process of its own.
const { spawn } = require('node:child_process');

// A server that prints its address as JSON; kill() is kill -9.
class Server {
  static async start(...args) {
    const server = new Server();
    server.process = spawn(process.env.SPML, [...args, '--no-browser', '--json', '--quiet'],
      { stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '', err = '';
    server.process.stderr.on('data', (data) => (err += data));
    server.info = await new Promise((resolve, reject) => {
      server.process.stdout.on('data', (data) => {
        out += data;
        try {
          resolve(JSON.parse(out));
        } catch {
          // not all of it yet
        }
      });
      server.process.on('exit', () => reject(new Error(`the server ended: ${err}`)));
    });
    server.exited = new Promise((resolve) => server.process.on('exit', resolve));
    return server;
  }
  get address() {
    return this.info.address;
  }
  async kill() {
    this.process.kill('SIGKILL');
    await this.exited;
  }
  async stop() {
    this.process.kill('SIGINT');
    await this.exited;
  }
}

module.exports = { Server };
