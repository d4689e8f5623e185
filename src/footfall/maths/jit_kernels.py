"""How kernels are compiled and kept. Import lazily: it brings in numba.

Every kernel of Footfall is decorated with one of these:

kernel        what Python or kernels call; one whose name begins with an underscore is an inner
              kernel
lean_kernel   a kernel that makes no arrays, and does not count references to those it gets
inner_kernel  the same for a helper that only kernels call; from Python it runs as it is written.
              Its machine code is made as a part of its callers
spliced_kernel  an inner kernel whose machine code is put into its callers: for helpers of a tight
              loop that are handed tuples of many arrays, which else are passed word by word

A kernel is compiled for one signature: integers are int64 to it, and arrays that may not be
written are the same to it as those that may. (Which arrays a kernel writes, its docstring says.)

Machine code is kept in the user's cache folder, for every checkout and environment alike. It is
addressed by the source of the kernel's module and of every module of the package that this one
imports, directly or not: whatever a kernel calls or reads, a change there gives another address.
numba's own disk cache knows a function's own file alone and would run stale code.
"""

from __future__ import annotations

import gc
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, cached_property
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numba
import numpy as np

from footfall.cache_paths import is_private, kernels_root, make_private

# Untyped in some versions of numba and half typed in others.
caching: Any = import_module("numba.core.caching")
codegen: Any = import_module("numba.core.codegen")
compiler: Any = import_module("numba.core.compiler")
config: Any = import_module("numba.core.config")
dispatcher: Any = import_module("numba.core.dispatcher")
registry: Any = import_module("numba.core.registry")
runtime: Any = import_module("numba.core.runtime")
serialize: Any = import_module("numba.core.serialize")
types: Any = import_module("numba.core.types")


def _import_without_scipy() -> None:
    """Import numba's array functions without scipy, which they only ask whether it has BLAS.

    It has, but loading it costs every command one to four tenths of a second. Kernels that use
    BLAS bring it in when they run.
    """
    linalg: Any = import_module("numba.np.linalg")
    ask = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = ask


with suppress(ImportError, AttributeError):  # a numba that asks in another way
    _import_without_scipy()

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_IMPORTED = re.compile(
    rb"^[ \t]*(?:from|import)[ \t]+([\w.]+)(?:[ \t]+import[ \t]+(\([^)]*\)|[^#\n]+))?", re.M
)
_VERSION = "4"
"""Changes whenever this module compiles the same source to other code."""
_PUNCTUATION = str.maketrans("(),", "   ")
_DIGEST_BYTES = 32
_UNUSED_S = 60 * 24 * 3600.0
_NOTED_S = 24 * 3600.0


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function of arrays and numbers, once for all runs."""
    return _compile(function, {})


def inner_kernel(function: Callable[..., Any]) -> Any:
    """Compile a helper for other kernels to call; from Python it runs as it is written."""
    return _compile(function, _without_counts(), inner=True)


def spliced_kernel(function: Callable[..., Any]) -> Any:
    """Compile a helper that is never called: its machine code is put into its callers."""
    return _compile(function, {**_without_counts(), "forceinline": True}, inner=True)


def lean_kernel(function: Callable[..., Any]) -> Any:
    """Compile a kernel that makes no arrays itself, without counting references to those it gets.

    A kernel that is handed arrays counts a reference for each of them on every call, which may
    cost more than the work. Memory to work in is handed to such kernels.
    """
    return _compile(function, _without_counts())


def _compile(function: Callable[..., Any], more: dict[str, Any], inner: bool = False) -> Any:
    if config.DISABLE_JIT:
        return function
    options = {"nopython": True, **_OPTIONS, **more}
    inner = inner or function.__name__.startswith("_")
    return (_InnerKernel if inner else _Kernel)(function, options)


@cache
def _without_counts() -> dict[str, Any]:
    """Return the option that leaves out reference counts, where this numba has it."""
    option: dict[str, Any] = {"_nrt": False}
    try:
        numba.njit(**option)(lambda: 0)
    except Exception:  # an unknown option is refused in a way that differs between versions
        return {}
    return option


# ---- one signature for each kernel ---------------------------------------------------------


class _Flags(compiler.Flags):  # type: ignore[misc]
    """The flags of a compilation. numba compares them for every call that it types."""

    __slots__ = ("_seen",)

    def values(self) -> dict[str, Any]:
        """Return all options by name."""
        seen = getattr(self, "_seen", None)
        if seen is None or seen[0] != self._values:
            seen = self._seen = dict(self._values), super().values()
        values: dict[str, Any] = seen[1]
        return values


class _Pipeline(compiler.Compiler):  # type: ignore[misc]
    """numba's compiler with flags that are cheap to compare and calls that are typed once."""

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, *rest: Any) -> None:
        return_type, flags, names = rest
        super().__init__(typing, target, library, args, return_type, _Flags(flags), names)
        self.state.typingctx = _TypingContext(typing)

    def define_pipelines(self) -> Any:
        """Return numba's passes without those for closures and, if no arrays are made, for these.

        Kernels have no closures. Fusing operations on whole arrays is for kernels that make some.
        """
        (manager,) = super().define_pipelines()
        skipped = {"InlineClosureLikes"} | (set() if self.state.flags.nrt else {"NopythonRewrites"})
        manager.passes = [one for one in manager.passes if one[0].__name__ not in skipped]
        return [manager]

    def compile_extra(self, function: Any) -> Any:
        """Compile a function; also what it takes in from inner kernels finds its environment."""
        result = super().compile_extra(function)
        for environment in result._find_referenced_environments():
            result.codegen.set_env(environment.env_name, environment)
        return result


class _InnerPipeline(_Pipeline):
    """The same for an inner kernel: callers take in its code, so it is optimised there alone."""

    def __init__(self, typing: Any, target: Any, *rest: Any) -> None:
        super().__init__(typing, _for_callers(target), *rest)


class _InnerLibrary(codegen.JITCodeLibrary):  # type: ignore[misc]
    """The code of an inner kernel, for LLVM to put into callers; it is no machine code itself."""

    def finalize(self) -> None:
        """Link what the kernel calls."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_final_module()

    def _finalize_final_module(self) -> None:
        """Make the module ready to be linked: nothing is added to numba's engine."""
        self._finalize_dynamic_globals()
        self._finalized = True

    def serialize_using_object_code(self) -> Any:
        """Return what the cache keeps."""
        return self.serialize_using_bitcode()


class _InnerCodegen(codegen.JITCPUCodegen):  # type: ignore[misc]
    """A code generator that shares all but its libraries with another one."""

    _library_class = _InnerLibrary

    def __init__(self, other: Any) -> None:
        self.__dict__.update(other.__dict__)

    def set_env(self, env_name: str, env: Any) -> None:
        """Leave the kernel's environment to its callers, which hold its code."""


@cache
def _for_callers(target: Any) -> Any:
    """Return a context of numba's that makes code for callers out of one for machine code."""
    return target.subtarget(_internal_codegen=_InnerCodegen(target.codegen()))


class _TypingContext:
    """numba's context of typing that remembers the types of calls to builtin functions.

    A kernel adds and compares numbers of the same types hundreds of times. numba tries every
    known overload for each of them, which is a fifth of compiling.
    """

    _known: ClassVar[dict[Any, Any]] = {}

    def __init__(self, context: Any) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def resolve_function_type(self, function: Any, args: Any, kws: Any) -> Any:
        """Return the signature of a call."""
        if kws or not isinstance(function, types.Function):
            return self._context.resolve_function_type(function, args, kws)
        signature = self._known.get((function, args))
        if signature is None:
            signature = self._context.resolve_function_type(function, args, kws)
            self._known[function, args] = signature
        return signature


class _InnerKernel(registry.CPUDispatcher):  # type: ignore[misc]
    """A kernel that only kernels call: Python finds the function as it is written."""

    suffix = "-inner"

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        given = {**options, "no_cpython_wrapper": True}
        super().__init__(function, targetoptions=given, pipeline_class=_InnerPipeline)
        self._cache = _InnerKernelCache(function, self.suffix)

    def __call__(self, *args: Any, **kws: Any) -> Any:
        return self.py_func(*args, **kws)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return what numba asks for when another kernel calls this one."""
        args = tuple(map(_without_detail, args))
        return super().get_call_template(args, {k: _without_detail(v) for k, v in kws.items()})


class _Kernel(registry.CPUDispatcher):  # type: ignore[misc]
    """A kernel that Python calls.

    Other kernels call its twin, which has no way in from Python: a tenth of what is compiled.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function, targetoptions=options, pipeline_class=_Pipeline)
        self._cache = _KernelCache(function, "")
        self._options = options

    @cached_property
    def inner(self) -> _InnerKernel:
        """The same kernel for other kernels."""
        return _InnerKernel(self.py_func, self._options)

    @property
    def signatures(self) -> list[Any]:
        """The types of arguments for which this kernel or its twin was compiled or loaded."""
        return list(dict.fromkeys([*self.overloads, *self.inner.overloads]))

    @property
    def stats(self) -> Any:
        """How often this kernel and its twin were compiled and loaded, by signature."""
        own, twin = super().stats, self.inner.stats
        return own._replace(
            cache_hits=own.cache_hits + twin.cache_hits,
            cache_misses=own.cache_misses + twin.cache_misses,
        )

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return what numba asks for when another kernel calls this one."""
        return self.inner.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        """Return what numba asks for when it lowers such a call."""
        return self.inner.get_overload(sig)

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """Return what numba calls when Python calls with types that were not seen before."""
        if kws or any(isinstance(a, dispatcher.OmittedArg) for a in args):
            return super()._compile_for_args(*args, **kws)
        given = tuple(self.typeof_pyval(a) for a in args)
        plain = tuple(_writable(_without_detail(t)) for t in given)
        with _pause_garbage_collection():
            if given == plain:
                return super()._compile_for_args(*args)
            entry = self.compile(plain)
        # The machine code is the same: from now on it is found without coming here.
        self._insert([t._code for t in given], entry)
        return entry


@contextmanager
def _pause_garbage_collection() -> Iterator[None]:
    """Leave unreachable cycles where they are: looking for them is a tenth of compiling."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _without_detail(kind: Any) -> Any:
    """Return a type without the value of a constant and with integers of one size.

    64 bits without a sign stay what they are: int64 cannot hold them.
    """
    kind = types.unliteral(kind)
    if isinstance(kind, types.Integer) and (kind.signed or kind.bitwidth < 64):
        return types.int64
    return kind


def _writable(kind: Any) -> Any:
    """Return the type of an array that may be written, for one that may not; also within tuples."""
    if isinstance(kind, types.Array) and not kind.mutable:
        return kind.copy(readonly=False)
    if isinstance(kind, types.BaseTuple):
        return types.BaseTuple.from_types(
            tuple(map(_writable, kind)), getattr(kind, "instance_class", None)
        )
    return kind


# ---- the stamp --------------------------------------------------------------------------


def module_stamp(module: str) -> str:
    """Return a fingerprint of a module's source and of all that it imports from its own package."""
    by = (_VERSION, sys.version_info[:2], numba.__version__, np.__version__, _OPTIONS)
    digest = sha256(str(by).encode())
    for name in sorted(_reachable(module)):
        digest.update(name.encode() + b"\0" + _source(name))
    return digest.hexdigest()[:24]


@cache
def _reachable(module: str) -> frozenset[str]:
    """Return the modules that a module can run: itself, what it imports, and so on."""
    found: set[str] = set()
    left = [module]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += _imports(name)
    return frozenset(found)


@cache
def _imports(module: str) -> tuple[str, ...]:
    """Return the modules of its own package that a module imports, wherever in the file."""
    top = module.partition(".")[0]
    names: set[str] = set()
    for source, imported in _IMPORTED.findall(_source(module)):
        base = source.decode()
        if base.partition(".")[0] != top:
            continue
        # `from package.room import module` names a module by its last word.
        members = imported.decode().translate(_PUNCTUATION).split()
        names |= {base, *(f"{base}.{member}" for member in members)}
    # What this module itself changes about code stands in the stamp by its version and options.
    return tuple(
        sorted(n for n in names if not n.endswith(".jit_kernels") and _source_file(n) is not None)
    )


@cache
def _source(module: str) -> bytes:
    file = _source_file(module)
    return b"" if file is None else file.read_bytes()


@cache
def _source_file(module: str) -> Path | None:
    top, _, rest = module.partition(".")
    paths = getattr(sys.modules.get(top), "__path__", None)
    if not paths:
        file = getattr(sys.modules.get(top), "__file__", None)
        return Path(file) if file and not rest else None
    stem = Path(paths[0], *rest.split(".")) if rest else Path(paths[0])
    for file in (stem.with_suffix(".py"), stem / "__init__.py"):
        if file.is_file():
            return file
    return None


# ---- the cache --------------------------------------------------------------------------


@cache
def kernels_folder(module: str) -> Path:
    """Return where the compiled kernels of a module are kept."""
    folder = kernels_root() / f"{module}-{module_stamp(module)}"
    with suppress(OSError):  # a cache that cannot be written to can still be read
        if time.time() - folder.stat().st_mtime > _NOTED_S:
            os.utime(folder)
    return folder


def _forget_unused(folder: Path) -> None:
    """Remove what was compiled from other versions of a module, if unused for two months."""
    import shutil

    name = folder.name.rpartition("-")[0]
    with suppress(OSError):
        for other in folder.parent.glob(f"{name}-*"):
            if time.time() - other.stat().st_mtime > _UNUSED_S:
                shutil.rmtree(other, ignore_errors=True)


class _Reducer(caching.CompileResultCacheImpl):  # type: ignore[misc]
    """How compiled functions become bytes; where they are kept is not its business."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = SimpleNamespace(
            _py_file=function.__code__.co_filename, ensure_cache_path=lambda: None
        )
        self._filename_base = function.__qualname__


class _KernelCache(caching.FunctionCache):  # type: ignore[misc]
    """The cache of one kernel: a file for each of its signatures."""

    def __init__(self, function: Callable[..., Any], suffix: str) -> None:
        self._name = repr(function)
        self._py_func = function
        self._impl = _Reducer(function)
        self._cache_path = ""
        self._cache_file = _KernelFiles(function.__module__, function.__qualname__ + suffix)
        self.enable()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load machine code without numba's tables for typing, which take 0.3 s to fill.

        The compiler fills them itself once there is something to compile.
        """
        runtime.rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


class _InnerKernelCache(_KernelCache):
    """The cache of an inner kernel: what it keeps is code for callers."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load code that is not added to numba's engine."""
        return super().load_overload(sig, _for_callers(target_context))


class _KernelFiles:
    """Compiled code by signature; each file begins with a checksum of the rest."""

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name.replace("<", "").replace(">", "")

    def path(self, key: Any) -> Path:
        # The name is made of all that decides on the code, so two processes that compile the
        # same kernel for different signatures never write to the same file.
        signature = sha256(repr(key).encode()).hexdigest()[:20]
        return kernels_folder(self.module) / f"{self.name}-{signature}.kernel"

    def load(self, key: Any) -> Any:
        path = self.path(key)
        # Unpickling runs code, so whatever another user could have written is not read.
        if not all(map(is_private, (path.parent.parent, path.parent, path))):
            return None
        try:
            content = path.read_bytes()
        except OSError:
            return None
        digest, data = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
        if sha256(data).digest() != digest:
            return None
        return caching.pickle.loads(data)  # code that this user's own process wrote

    def save(self, key: Any, data: Any) -> None:
        content = serialize.dumps(data)
        path = self.path(key)
        temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
        try:
            new = not path.parent.is_dir()
            if not (make_private(path.parent.parent) and make_private(path.parent)):
                return  # a folder of another user: compiled again next time
            if new:
                _forget_unused(path.parent)
            temporary.write_bytes(sha256(content).digest() + content)
            temporary.chmod(0o600)
            temporary.replace(path)
        except OSError:  # no room, or no right to write: compiled again next time
            with suppress(OSError):
                temporary.unlink()

    def flush(self) -> None:
        for file in kernels_folder(self.module).glob(f"{self.name}-*.kernel"):
            file.unlink(missing_ok=True)
