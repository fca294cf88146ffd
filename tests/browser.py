"""A real JupyterLab, or Notebook 7, in a real browser.

A test asks for the fixture `lab` (conftest.py) and works with two things: `lab`, which opens
notebooks, and the page that it gets back.

    @pytest.mark.browser
    def test_the_table_is_there(lab):
        page = lab.open(lab.write("import rank_magic as rm", "%rankeval ..."))
        page.run_all()                              # waits for the kernel; a cell that fails, fails
        assert "nDCG@10" in page.text(1)            # what the person sees under cell 1
        assert page.outputs(1)[0]["data"]["text/html"]          # what the notebook holds
        page.screenshot("table")                    # test-artifacts/table.png
        assert page.outside_requests == []

A notebook of the repository opens as well, `lab.open("notebooks/01_quickstart.ipynb")`; it is
copied first, so nothing here ever writes into the repository but test-artifacts/. Every test has
kernels and a browser of its own; the server is shared. `lab.open(path, notebook7=True)` opens it in
Notebook 7, which the same server has. Everything Playwright can do is on
`page.page`.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import nbformat
from playwright.sync_api import Browser, Locator, Page, Playwright

REPOSITORY = Path(__file__).resolve().parents[1]
ARTIFACTS = REPOSITORY / "test-artifacts"
# Seconds before what should happen counts as not happening.
PATIENCE = float(os.environ.get("RANK_MAGIC_PATIENCE", "120"))
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM_FLAGS = [
    "--no-sandbox",  # Chromium's own sandbox does not start as root
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # Requests to the outside are seen, and fail everywhere, not only where there is no network.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]

# What the console says without us.
GONE = "widget model not found"  # JupyterLab of a widget, once the page was loaded anew
NOTEBOOK_7 = (
    "reading 'schema'",
    "reading 'last_modified'",
    "'filebrowser:open-path' not registered",
)
# anywidget of a model that took more than two seconds; ours follow all the same (live.js).
LATE = "[anywidget] Failed to initialize model."
MATHJAX = "cdnjs.cloudflare.com/ajax/libs/mathjax"  # plotly 6 asks the web for it for plain figures
MATHJAX_IS_ASKED_FOR = int(version("plotly").split(".")[0]) < 7

# On such a page anywidget gives up every model at once, not only those of a busy page.
IN_A_HURRY = """(timeout => {
    AbortSignal.timeout = time => timeout.call(AbortSignal, time === 2000 ? 0 : time);
})(AbortSignal.timeout)"""

# The notebook in front. Its `context` is the document, its `sessionContext` the kernel.
NOTEBOOK = "window.jupyterapp?.shell?.currentWidget"
KERNEL_IS_IDLE = f"""() => {{
    const notebook = {NOTEBOOK};
    const kernel = notebook?.sessionContext?.session?.kernel;
    return Boolean(
        notebook?.context?.isReady && kernel?.connectionStatus === "connected"
        && kernel.status === "idle"
    );
}}"""

OUTPUTS_ARE_DRAWN = f"""number => {{
    const cell = {NOTEBOOK}.content.widgets[number];
    const drawn = [...cell.node.querySelectorAll(".jp-OutputArea-output")];
    return drawn.length > 0 && drawn.every(output => output.childElementCount > 0);
}}"""


def find_chromium() -> str | None:
    """Return the browser that $CHROMIUM names, or one on the PATH, or None."""
    named = os.environ.get("CHROMIUM")
    return named or next((path for name in NAMES if (path := shutil.which(name))), None)


class LabServer:
    """A JupyterLab with settings, extensions and notebooks of its own, in `home`.

    Its kernel runs in the Python that runs the tests.
    """

    def __init__(self, home: Path) -> None:
        self.root = home / "notebooks"
        self.log = home / "server.log"
        self.token = secrets.token_hex(16)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.origin = f"http://127.0.0.1:{free.getsockname()[1]}"
        self.root.mkdir()
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "jupyterlab"),
                    *("--no-browser", "--expose-app-in-browser"),
                    "--ip=127.0.0.1",
                    f"--port={urlsplit(self.origin).port}",
                    "--ServerApp.port_retries=0",
                    "--ServerApp.allow_root=True",
                    f"--ServerApp.root_dir={self.root}",
                    f"--IdentityProvider.token={self.token}",
                    "--LabApp.extension_manager=readonly",  # its other manager asks PyPI
                    "--JupyterNotebookApp.expose_app_in_browser=True",
                ],
                cwd=self.root,
                env=self._environment(home),
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self._wait()

    @staticmethod
    def _environment(home: Path) -> dict[str, str]:
        """Return our environment without the person's own Jupyter in it."""
        settings = home / "config" / "labconfig"
        settings.mkdir(parents=True)
        # The news asks the network, and its question covers the notebook.
        silent = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}
        (settings / "page_config.json").write_text(json.dumps(silent))
        # Cells out of sight stay in the page, so that tests need not scroll.
        all_cells = {"@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"}}
        (settings / "default_setting_overrides.json").write_text(json.dumps(all_cells))
        mine = {k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER", "IPYTHON"))}
        return mine | {
            "JUPYTER_CONFIG_DIR": str(home / "config"),
            "JUPYTER_DATA_DIR": str(home / "data"),
            "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
            "IPYTHONDIR": str(home / "ipython"),
        }

    def _wait(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                self.ask("GET", "/api/status")
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.2)
            else:
                return
        self.stop()
        raise RuntimeError(f"JupyterLab did not start:\n{self.log.read_text()[-5000:]}")

    def ask(self, method: str, path: str) -> Any:
        """Call the server's REST interface."""
        request = urllib.request.Request(
            self.origin + path, method=method, headers={"Authorization": f"token {self.token}"}
        )
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            body = answer.read()
        return json.loads(body) if body else None

    def end_kernels(self) -> None:
        """End every kernel, so that the next notebook starts on a fresh one."""
        for session in self.ask("GET", "/api/sessions"):
            self.ask("DELETE", f"/api/sessions/{session['id']}")

    def stop(self) -> None:
        """Stop the server; it ends its kernels itself."""
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class Lab:
    """What a test sees: the server, and a browser that is its own."""

    def __init__(self, server: LabServer, playwright: Playwright, chromium: str) -> None:
        self.server = server
        self.root = server.root  # files that a notebook reads go here
        self.pages: list[NotebookPage] = []
        self._browser: Browser = playwright.chromium.launch(
            executable_path=chromium, args=CHROMIUM_FLAGS
        )

    def write(self, *cells: str, name: str = "test.ipynb") -> Path:
        """Write a notebook with these code cells and return its path."""
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        path = self.root / name
        nbformat.write(book, path)
        return path

    def open(
        self,
        notebook: str | Path,
        *,
        dark: bool = False,
        notebook7: bool = False,
        hurried: bool = False,
    ) -> NotebookPage:
        """Open a copy of the notebook, a path from the repository's root, and wait for its kernel.

        On a `hurried` page anywidget takes every model for one that took too long.
        """
        source = REPOSITORY / notebook
        copy = self.root / source.name
        book = nbformat.read(source, as_version=4)
        # Whatever kernel the file names, it runs on ours, and nothing asks which.
        book.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
        nbformat.write(book, copy)
        page = self._browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(PATIENCE * 1000)
        if hurried:
            page.add_init_script(IN_A_HURRY)
        place = "notebooks" if notebook7 else "lab/tree"
        self.pages.append(NotebookPage(self.server, page, copy, place))
        self.pages[-1].set_theme(dark=dark)
        return self.pages[-1]

    def close(self) -> None:
        """Close the browser and end the kernels."""
        self._browser.close()
        self.server.end_kernels()


class NotebookPage:
    """A notebook in JupyterLab. Cells are counted from 0, text cells too."""

    def __init__(self, server: LabServer, page: Page, path: Path, place: str) -> None:
        self.server = server
        self.page = page
        self.path = path
        self.place = place
        self.requests: list[str] = []
        self.errors: list[str] = []  # what the browser's console shows in red
        self.raised: list[str] = []  # tracebacks of the kernel
        self.loaded_anew = False
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("websocket", self._listen)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._note)
        page.on("dialog", lambda dialog: dialog.accept())  # leave without saving
        self._load()

    def _note(self, message: Any) -> None:
        if message.type == "error":
            self.errors.append(f"{message.text} ({message.location.get('url', '')})")

    def _listen(self, socket: Any) -> None:
        self.requests.append(socket.url)
        if "/channels" in socket.url:
            socket.on("framereceived", self._hear)

    def _hear(self, frame: str | bytes) -> None:
        """Note what a handler in the kernel raises: JupyterLab shows it nowhere in the page."""
        if isinstance(frame, bytes):  # Jupyter's protocol v1: how many offsets, offsets, parts
            count = int.from_bytes(frame[:8], "little")
            at = [int.from_bytes(frame[8 * i : 8 * i + 8], "little") for i in range(1, count + 1)]
            header, content = frame[at[1] : at[2]], frame[at[4] : at[5]]
        else:
            message = json.loads(frame)
            header, content = json.dumps(message["header"]).encode(), message["content"]
        if json.loads(header)["msg_type"] == "error":
            said = content if isinstance(content, dict) else json.loads(content)
            self.raised.append("\n".join(said["traceback"]))

    def _load(self) -> None:
        place = f"{self.place}/{quote(self.path.relative_to(self.server.root).as_posix())}"
        self.page.goto(f"{self.server.origin}/{place}?token={self.server.token}&reset")
        self.page.wait_for_selector(".jp-Notebook .jp-Cell")
        self.wait_for_kernel()

    @property
    def complaints(self) -> list[str]:
        """What the browser's console shows in red, and what was raised in the kernel unseen."""
        not_ours = [
            LATE,
            *([GONE] if self.loaded_anew else []),
            *(NOTEBOOK_7 if self.place == "notebooks" else []),
            *([MATHJAX] if MATHJAX_IS_ASKED_FOR else []),
        ]
        errors = [one for one in self.errors if not any(words in one for words in not_ours)]
        return errors + self.raised

    @property
    def outside_requests(self) -> list[str]:
        """Addresses asked for that are not this server's own."""
        ours = urlsplit(self.server.origin).netloc
        return [
            url
            for url in self.requests
            if urlsplit(url).scheme not in ("data", "blob")
            and urlsplit(url).netloc != ours
            and not (MATHJAX in url and MATHJAX_IS_ASKED_FOR)
        ]

    def wait_for_kernel(self) -> None:
        """Wait until the document is loaded and its kernel connected and idle."""
        self.page.wait_for_function(KERNEL_IS_IDLE)

    def wait(self, condition: str) -> None:
        """Wait until this JavaScript expression is true."""
        self.page.wait_for_function(condition)

    def command(self, name: str, **arguments: Any) -> None:
        """Run a JupyterLab command, as its menus do, and wait for it to end."""
        self.page.evaluate(
            """([name, args, seconds]) => Promise.race([
                window.jupyterapp.commands.execute(name, args).then(() => null),
                new Promise((_, fail) => setTimeout(
                    () => fail(new Error(`${name} did not end in ${seconds} s`)), seconds * 1000
                )),
            ])""",
            [name, arguments, PATIENCE],
        )

    def run_all(self, *, allow_errors: bool = False) -> None:
        """Run every cell; unless errors are allowed, one that fails is an AssertionError."""
        self.command("notebook:run-all-cells")
        self.wait_for_kernel()
        failed = [
            f"cell {number}: {output['ename']}: {output['evalue']}"
            for number in range(self.cell_count())
            for output in self.outputs(number)
            if output["output_type"] == "error"
        ]
        assert allow_errors or not failed, "\n".join(failed)

    def cell_count(self) -> int:
        """Return how many cells the notebook has."""
        count: int = self.page.evaluate(f"{NOTEBOOK}.content.widgets.length")
        return count

    def cell(self, number: int) -> Locator:
        """Return the cell in the page, to look inside: `page.cell(2).get_by_role("slider")`."""
        return self.page.locator(".jp-Notebook .jp-Cell").nth(number)

    def text(self, number: int) -> str:
        """Return the text that is shown under a cell, once JupyterLab has drawn it.

        A cell that has run has its outputs, but texts are drawn a frame or more later, and long
        ones only where they can be seen.
        """
        if self.outputs(number):
            self.cell(number).locator(".jp-OutputArea").first.scroll_into_view_if_needed()
            self.page.wait_for_function(OUTPUTS_ARE_DRAWN, arg=number)
        return "\n".join(self.cell(number).locator(".jp-OutputArea-output").all_inner_texts())

    def outputs(self, number: int) -> list[dict[str, Any]]:
        """Return a cell's outputs as the notebook holds them (nbformat's dictionaries)."""
        outputs: list[dict[str, Any]] = self.page.evaluate(
            f"number => {NOTEBOOK}.content.widgets[number].model.outputs?.toJSON() ?? []", number
        )
        return outputs

    def set_theme(self, *, dark: bool) -> None:
        """Change to JupyterLab's dark or light theme."""
        self.command(
            "apputils:change-theme", theme="JupyterLab Dark" if dark else "JupyterLab Light"
        )
        self.wait(f"document.body.dataset.jpThemeLight === '{str(not dark).lower()}'")

    def save(self) -> None:
        """Save the notebook to `path`."""
        self.command("docmanager:save")

    def reload(self) -> None:
        """Load the page again, as F5 does; the kernel goes on."""
        self.loaded_anew = True
        self.page.goto("about:blank")
        self._load()

    def reopen(self) -> None:
        """Open what was saved as on another day: the page and the kernel are new."""
        self.loaded_anew = True
        self.page.goto("about:blank")
        self.server.end_kernels()
        self._load()

    def screenshot(self, name: str, *, cell: int | None = None) -> Path:
        """Take a picture of the page, or of one cell, to test-artifacts/NAME.png."""
        ARTIFACTS.mkdir(exist_ok=True)
        path = ARTIFACTS / f"{name}.png"
        (self.page if cell is None else self.cell(cell)).screenshot(path=path)
        return path
