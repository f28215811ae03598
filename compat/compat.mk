# SPDX-License-Identifier: GPL-2.0-only
#
# compat.mk - asks the kernel's headers, one small compilation for each question.
#
# Included by Kbuild.  Every compat/probe/NAME.c is compiled as part of a module
# of this kernel; what came of it becomes VSL_HAVE_NAME, 0 or 1, in
# compat/generated.h.  The probes are ordinary targets: they run in parallel, and
# again only when a probe, the compiler's flags or the kernel changes.

vsl_probes := $(sort $(basename $(notdir $(wildcard $(src)/compat/probe/*.c))))
vsl_results := $(addprefix compat/.probe/,$(addsuffix .result,$(vsl_probes)))

targets += compat/generated.h $(vsl_results)
clean-files += compat/generated.h compat/.probe

# The kernel's own flags, less the dependency file and debug information.  Only
# what makes an interface another one is an error; a warning answers nothing.
vsl_probe_flags = $(filter-out -Wp$(comma)% -g%,$(c_flags)) -Wno-error \
	-Werror=implicit-function-declaration \
	-Werror=incompatible-pointer-types \
	-Werror=int-conversion

quiet_cmd_vsl_probe = PROBE   $*
      cmd_vsl_probe = mkdir -p $(@D); \
	if $(CC) $(vsl_probe_flags) -fsyntax-only $< 2> $(@:.result=.log); \
	then echo 'VSL_HAVE_$* 1'; else echo 'VSL_HAVE_$* 0'; fi > $@

vsl_utsrelease := $(wildcard $(objtree)/include/generated/utsrelease.h)

$(obj)/compat/.probe/%.result: $(src)/compat/probe/%.c $(vsl_utsrelease) FORCE
	$(call if_changed,vsl_probe)

# sane.c must compile and never.c must not, or no answer means anything.
quiet_cmd_vsl_generated = GEN     $@
      cmd_vsl_generated = \
	grep -q 1 $(obj)/compat/.probe/sane.result || { \
		cat $(obj)/compat/.probe/sane.log >&2; \
		echo "compat: this compiler cannot build modules for this kernel" >&2; \
		exit 1; }; \
	grep -q 0 $(obj)/compat/.probe/never.result || { \
		echo "compat: the compiler takes everything, probes are void" >&2; \
		exit 1; }; \
	{ echo '\#ifndef VSL_COMPAT_GENERATED_H'; \
	  echo '\#define VSL_COMPAT_GENERATED_H'; \
	  cat $(filter %.result,$^) | tr a-z A-Z | sed 's/^/\#define /'; \
	  echo '\#endif'; } > $@

$(obj)/compat/generated.h: $(addprefix $(obj)/,$(vsl_results)) FORCE
	$(call if_changed,vsl_generated)
